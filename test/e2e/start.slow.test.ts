// Starts of `npm start` that another program gets in the way of, or a server that was killed.

import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../free-port.ts";
import { descendants, isAlive } from "./support/host.ts";
import { removeState, startServer } from "./support/start-server.ts";
import { failedStart, newSandbox } from "./support/starts.ts";

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "sandbox-mcp-start-"));
});
afterEach(() => removeState(stateDir));

test("npm start works after the previous server was killed, with the same key", async () => {
  const port = await freePort();
  const first = await startServer({ stateDir, port, env: { SANDBOX_MCP_KEY: "" } });
  const key = readFileSync(join(stateDir, "key"), "utf8").trim();
  expect(first.output()).toContain(key);
  expect(statSync(join(stateDir, "key")).mode & 0o777).toBe(0o600);
  await newSandbox({ url: first.url, key }, "sleep 1000 & echo");
  const started = descendants(first.pid);
  await first.stop("SIGKILL");
  await expect.poll(() => started.filter(({ pid }) => isAlive(pid))).toEqual([]);

  const second = await startServer({ stateDir, port, env: { SANDBOX_MCP_KEY: "" } });
  const result = await newSandbox({ url: second.url, key }, "echo here");
  expect(result.structured).toMatchObject({ exit_code: 0, stdout: "here\n" });
  await second.stop();
});

test("of servers that start at once after one was killed, one serves and the others are refused", async () => {
  const killed = await startServer({ stateDir });
  await killed.stop("SIGKILL");
  const starts = await Promise.allSettled(Array.from({ length: 4 }, () => startServer({ stateDir })));
  const served = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const refused = starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : []));
  expect(served).toHaveLength(1);
  expect(refused).toEqual(Array(3).fill(expect.stringContaining("This project already serves")));
  await served[0]?.stop();
});

test("a port that another program takes during the start is reported", async () => {
  const port = await freePort();
  const blocker = createServer();
  const said = await failedStart({ SANDBOX_MCP_STATE: stateDir, PORT: String(port) }, (output) => {
    if (output.includes("Starting the Worker") && !blocker.listening) blocker.listen(port, "127.0.0.1");
  });
  blocker.close();
  expect(said).toContain(`Address already in use (127.0.0.1:${port})`);
  expect(said).not.toMatch(/\n {4}at /);
});
