// The watchdog of a real server: it restarts a Worker that hangs, and leaves one alone that is merely slow because the host has
// four times as much to do as it has processors.

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "./support/clients.ts";
import { partsOf } from "./support/host.ts";
import { startServer } from "./support/start-server.ts";

const MINUTES = Number(process.env["MINUTES"] ?? 1);

test("a workerd that hangs is restarted, and the machine and its files are kept", async () => {
  const server = await startServer();
  const client = await connect("2025", server);
  await client.call("exec", { command: "echo kept > file; touch /tmp/same-machine" });
  const [workerd = 0] = partsOf(server.pid, "workerd");
  process.kill(workerd, "SIGSTOP");
  await expect.poll(server.output, { timeout: 120_000 }).toContain("did not answer for 30 s");
  await expect.poll(() => partsOf(server.pid, "workerd").filter((pid) => pid !== workerd)).toHaveLength(1);
  await expect
    .poll(
      () =>
        fetch(`${server.origin}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true);
  const later = await client.call("exec", { command: "cat file; ls /tmp/same-machine" });
  expect(later.structured).toMatchObject({ exit_code: 0, stdout: "kept\n/tmp/same-machine\n" });
  await client.close();
  await server.stop();
});

test("a server is not restarted while four times as many processes compute as there are processors", {
  timeout: MINUTES * 60_000 + 300_000,
}, async () => {
  const server = await startServer();
  const before = [...partsOf(server.pid, "worker"), ...partsOf(server.pid, "workerd")];
  const client = await connect("2026", server);
  startBusyLoops(availableParallelism() * 4);
  let calls = 0;
  for (const until = performance.now() + MINUTES * 60_000; performance.now() < until; calls += 1) {
    const result = await client.call("exec", { command: `echo ${calls}` }, { timeout: 120_000 });
    expect(result.structured).toMatchObject({ exit_code: 0, stdout: `${calls}\n` });
    await delay(100);
  }
  expect(calls).toBeGreaterThan(MINUTES * 10);
  expect([...partsOf(server.pid, "worker"), ...partsOf(server.pid, "workerd")]).toEqual(before);
  await client.close();
  await server.stop();
});

/** They end with the test, or by themselves when the test is ended by force. */
function startBusyLoops(count: number): void {
  for (let made = 0; made < count; made += 1) {
    const loop = spawn("timeout", [`${MINUTES * 60 + 60}`, "sh", "-c", "while :; do :; done"], { detached: true });
    onTestFinished(() => void process.kill(-(loop.pid ?? 0), "SIGKILL"));
  }
}
