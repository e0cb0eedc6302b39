// `npm start` itself: what it prints, what it stores, what it leaves behind, and its errors when it cannot start.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../free-port.ts";
import { bridgeAddress } from "./support/docker/containers.ts";
import { testEngine } from "./support/engine.ts";
import { commandLine, descendants, isAlive, listeningSockets, mounts } from "./support/host.ts";
import { serverProcesses } from "./support/server-processes.ts";
import { removeState, startServer } from "./support/start-server.ts";
import { failedStart, newSandbox } from "./support/starts.ts";

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "sandbox-mcp-start-"));
});
afterEach(() => removeState(stateDir));

test("npm start prints the URL, the engine and a configuration for every client, and Ctrl-C leaves nothing", async () => {
  const server = await startServer({ stateDir });
  for (const part of [
    server.url,
    testEngine === "docker" ? "Docker" : "built-in",
    "Claude Code",
    "Claude Desktop",
    "VS Code",
    "Cursor",
    "Inspector",
    "mcp-remote",
    server.key,
  ]) {
    expect(server.output()).toContain(part);
  }
  const result = await newSandbox(server, "sleep 1000 & setsid sleep 1000 & echo $!");
  expect(result.structured).toMatchObject({ exit_code: 0, left_running: 2 });

  await expect.poll(() => serverProcesses(server).filter(({ state }) => state === "Z")).toEqual([]);
  const started = serverProcesses(server);
  expect(started.filter(({ pid }) => commandLine(pid).includes(server.key))).toEqual([]);
  const sockets = listeningSockets(started.map(({ pid }) => pid));
  // With Docker, workerd also listens for what machines send out, where only they and the host reach it.
  const addresses = testEngine === "docker" ? ["127.0.0.1", bridgeAddress()] : ["127.0.0.1"];
  expect([...new Set(sockets.map(({ address }) => address))].sort()).toEqual(addresses);
  expect(await server.stop("SIGINT")).toBe(0);
  expect(started.filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(mounts().filter((line) => line.includes("sandbox-mcp"))).toEqual([]);
});

test("a second server for the same state directory is refused with the URL of the first, and changes nothing", async () => {
  const first = await startServer({ stateDir });
  // A record in the log, which a second server must neither empty nor replace.
  await newSandbox(first, "curl -s http://denied.example");
  await expect.poll(() => readFileSync(join(stateDir, "egress.jsonl"), "utf8")).toContain("denied.example");
  const before = identities(stateDir);
  const said = await failedStart({ SANDBOX_MCP_STATE: stateDir, PORT: String(await freePort()) });
  expect(said.trim()).toBe(
    `This project already serves ${first.url} (process ${first.pid}); use that one, or end it first.`,
  );
  expect(identities(stateDir)).toEqual(before);
  expect((await newSandbox(first, "echo still here")).structured).toMatchObject({ stdout: "still here\n" });
  await first.stop();
});

test("a port in use is reported in one sentence that says what to do", async () => {
  const blocker = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => blocker.once("listening", resolve));
  const address = blocker.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const said = await failedStart({ SANDBOX_MCP_STATE: stateDir, PORT: String(port) });
  blocker.close();
  expect(said.trim()).toBe(
    `Port ${port} is in use; end the program that uses it, or choose another port: PORT=${port + 1} npm start`,
  );
});

test.each([
  [{ PORT: "http" }, /^PORT is "http", which is not a port number/],
  [{ SANDBOX_MCP_KEY: "two words" }, /^The access key in SANDBOX_MCP_KEY may contain only/],
  [{ SANDBOX_MCP_ENGINE: "podman" }, /SANDBOX_MCP_ENGINE is "podman"; set it to "docker" or "built-in"/],
])("a wrong setting %j is reported in one sentence", async (env, sentence) => {
  const said = await failedStart({ SANDBOX_MCP_STATE: stateDir, PORT: String(await freePort()), ...env });
  expect(said.trim()).toMatch(sentence);
  expect(said).not.toMatch(/\n {4}at /);
});

/** Of each file that the server itself writes, with what would change if it were replaced or emptied. */
function identities(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => {
      const { ino, size, mode, mtimeMs } = statSync(join(directory, name));
      return [name, ino, size, mode, mtimeMs].join(" ");
    })
    .sort();
}

test("Ctrl-C during the start leaves nothing", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../container/local/main.ts")], {
    env: {
      ...process.env,
      SANDBOX_MCP_STATE: stateDir,
      PORT: String(await freePort()),
      SANDBOX_MCP_ENGINE: testEngine,
    },
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await expect.poll(() => said).toContain("Starting the Worker");
  const started = descendants(child.pid ?? 0);
  child.kill("SIGINT");
  await new Promise((resolve) => child.once("close", resolve));
  await expect.poll(() => started.filter(({ pid }) => isAlive(pid))).toEqual([]);
});
