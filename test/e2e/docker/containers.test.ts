// The containers of a server in a Docker daemon: none is left when the server has ended, or, if it was ended by force, when the next one
// has started.

import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect } from "../support/clients.ts";
import { containerIds } from "../support/docker/containers.ts";
import { removeState, type Server, startServer } from "../support/start-server.ts";

let stateDir = "";
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "containers-"));
});
afterEach(() => removeState(stateDir));

const stateOf = (directory: string) => ({
  machines: containerIds("machine", directory).length,
  sidecars: containerIds("sidecar", directory).length,
});

async function startMachines(server: Server, ...sandboxes: string[]): Promise<void> {
  const client = await connect("2026", server);
  for (const sandbox of sandboxes) {
    const { structured } = await client.call("exec", { sandbox, command: "true" });
    expect(structured).toMatchObject({ exit_code: 0 });
  }
  await client.close();
}

/** Prints how many processes it could start. */
const FORKS = `
import os, signal, time
started = []
try:
    while len(started) < 300:
        started.append(os.fork() or time.sleep(60))
except OSError: pass
print(len(started))
for pid in started: os.kill(pid, signal.SIGKILL)`;

test("a server that is stopped leaves no container", async () => {
  const server = await startServer({ stateDir });
  await startMachines(server, "one", "two");
  expect(stateOf(stateDir)).toEqual({ machines: 2, sidecars: 2 });
  expect(await server.stop("SIGINT")).toBe(0);
  expect(stateOf(stateDir)).toEqual({ machines: 0, sidecars: 0 });
});

test("a machine may use only so much memory and so many processes of the host", async () => {
  const server = await startServer({ stateDir, env: { SANDBOX_MCP_MEMORY_MB: "700", SANDBOX_MCP_PIDS: "200" } });
  await startMachines(server, "one");
  const [machine = ""] = containerIds("machine", stateDir);
  const format = "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.PidsLimit}}";
  const limits = () => execFileSync("docker", ["inspect", "--format", format, machine]).toString();
  await expect.poll(limits).toBe(`${700 * 1024 * 1024} ${700 * 1024 * 1024} 200\n`);
  const client = await connect("2026", server);
  const { structured } = await client.call("exec", {
    sandbox: "one",
    command: "python3 -",
    stdin: FORKS,
  });
  expect(Number(structured?.["stdout"])).toBeGreaterThan(100);
  expect(Number(structured?.["stdout"])).toBeLessThan(200);
  await client.close();
  await server.stop();
});

test("the next start removes what a killed server left, and nothing of another project", async () => {
  const other = await startServer();
  await startMachines(other, "one");
  const first = await startServer({ stateDir });
  await startMachines(first, "one", "two", "three");
  await first.stop("SIGKILL");
  // A machine that was ended too, and a sidecar whose machine was never created.
  const [ended = "", created = ""] = containerIds("machine", stateDir);
  execFileSync("docker", ["kill", ended]);
  execFileSync("docker", ["rm", "--force", created]);
  expect(stateOf(stateDir)).toEqual({ machines: 2, sidecars: 3 });

  const second = await startServer({ stateDir });
  expect(stateOf(stateDir)).toEqual({ machines: 0, sidecars: 0 });
  expect(stateOf(other.stateDir)).toEqual({ machines: 1, sidecars: 1 });
  await startMachines(second, "one");
  await second.stop();
  expect(stateOf(stateDir)).toEqual({ machines: 0, sidecars: 0 });
  await startMachines(other, "one");
  await other.stop();
});
