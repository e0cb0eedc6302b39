// A Worker that is killed during a call.

import { expect, test } from "vitest";
import { connect } from "./support/clients.ts";
import { partsOf } from "./support/host.ts";
import { serverProcesses } from "./support/server-processes.ts";
import { startServer } from "./support/start-server.ts";
import { storedObjects } from "./support/stored-objects.ts";

const killed = [
  ["workerd", "workerd"],
  ["the process that serves the Worker", "worker"],
] as const;

test.each(killed)("a command is found again by its id, with all its output, after %s was killed", async (_, part) => {
  const server = await startServer();
  const client = await connect("2026", server);
  const input = { command: "for i in $(seq 1 20); do echo line $i; sleep 0.3; done", process_id: "long" };
  // Whether this call breaks or hangs is Miniflare's affair.
  const leaving = new AbortController();
  const first = client.call("exec", input, { signal: leaving.signal }).catch(() => "broke");
  await expect
    .poll(async () => (await client.call("process", { action: "read", process_id: "long" })).structured?.["stdout"])
    .toContain("line 2");
  const killed = partsOf(server.pid, part);
  for (const pid of killed) process.kill(pid, "SIGKILL");
  leaving.abort();
  await first;
  await expect.poll(() => partsOf(server.pid, part).filter((pid) => !killed.includes(pid))).toHaveLength(1);
  await expect.poll(() => isHealthy(server.origin)).toBe(true);
  const again = await client.call("exec", input, { timeout: 60_000 });
  expect(again.structured).toMatchObject({
    status: "exited",
    exit_code: 0,
    attached: true,
    stdout: Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join(""),
  });
  // What machines send out goes through the new one.
  const denied = await client.call("exec", {
    command: "curl -s -w '%{http_code}' -o /dev/null http://denied.example",
  });
  expect(denied.structured).toMatchObject({ exit_code: 0, stdout: "403" });
  await client.close();
  await server.stop();
});

test("a Worker that ends by force stores, when it is back, what was changed before, without any call", async () => {
  const own = await startServer({ env: { CHECKPOINT_AFTER: "15s", SLEEP_AFTER: "10m" } });
  const one = await connect("2026", own);
  try {
    await one.call("exec", { command: "echo > a" });
    expect(storedObjects(own)).toEqual([]);
    const workers = serverProcesses(own).filter(({ name }) => name === "workerd");
    for (const { pid } of workers) process.kill(pid, "SIGKILL");
    await expect.poll(() => storedObjects(own).length, { interval: 200 }).toBe(1);
  } finally {
    await one.close();
    await own.stop();
  }
});

async function isHealthy(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
