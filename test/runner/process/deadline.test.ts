// timeout_ms: everything that a command started is ended, even if it detached, and nothing else is.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { eventually, newId, type RunnerUnderTest, sleepers, startRunner, unwrap } from "../runner-under-test.ts";
import { escapes } from "./escapes.ts";

/** On a busy host, a shell may need much of it before it runs its first command. */
const TIMEOUT_MS = 1_000;

let runner: RunnerUnderTest;
beforeAll(async () => {
  runner = await startRunner();
});
afterAll(() => runner.stop());

const stubborn = [
  { when: "it ignores TERM", command: "trap '' TERM; sleep 5001 & while :; do sleep 0.2; done" },
  {
    when: "every child of it ignores TERM and starts more",
    command:
      "trap '' TERM; f() { for n in 1 2 3; do (sleep 0.3; [ $1 -lt 3 ] && f $(($1+1))) & done; wait; }; while :; do f 0; setsid bash -c 'sleep 5001' & done",
  },
];

describe("exec", () => {
  test.each(escapes("5001"))("ends all of it and says so when $when", async ({ command }) => {
    const value = await runner.exec(`echo before; ${command}`, { timeout_ms: TIMEOUT_MS });
    expect([value.status, value.timed_out, value.killed_by, value.stdout.text]).toEqual([
      "exited",
      true,
      "timeout",
      "before\n",
    ]);
    expect([value.exit_code, value.signal]).toEqual(expect.arrayContaining([expect.any(Number)]));
    expect(value.left_running).toBe(0);
    expect(sleepers("5001")).toEqual([]);
  });

  test.each(stubborn)("kills after the grace when $when", async ({ command }) => {
    const value = await runner.exec(command, { timeout_ms: TIMEOUT_MS });
    expect([value.exit_code, value.signal, value.timed_out, value.left_running]).toEqual([137, "SIGKILL", true, 0]);
    expect(value.duration_ms).toBeGreaterThan(TIMEOUT_MS + limits.killGraceMs - 100);
    expect(sleepers("5001")).toEqual([]);
  });

  test("exec() lets the command clean up when it handles SIGTERM", async () => {
    const value = await runner.exec("trap 'echo cleaned; exit 3' TERM; while :; do sleep 0.02; done", {
      timeout_ms: TIMEOUT_MS,
    });
    expect([value.exit_code, value.signal, value.timed_out, value.stdout.text]).toEqual([3, null, true, "cleaned\n"]);
  });

  test("exec() does not touch other commands when one is ended", async () => {
    const other = newId();
    await runner.exec("sleep 5002 & sleep 5002", { process_id: other, wait_ms: 0 });
    await eventually(() => sleepers("5002").length >= 2);
    // It reads the output of the other, and so has the other's pipe open.
    const reader = await runner.exec(`sleep 5003 & tail -f /proc/$!/fd/1`, { timeout_ms: TIMEOUT_MS });
    expect(reader.timed_out).toBe(true);
    expect(sleepers("5003")).toEqual([]);
    expect(sleepers("5002").length).toBeGreaterThanOrEqual(2);
    await runner.call("process-signal", { process_id: other, signal: "KILL", killed_by: "cancel", then_kill: false });
    expect((await runner.read(other, { until: "exit" })).killed_by).toBe("cancel");
  });

  test("exec() does not touch a process of another command when it only reads the output of the ended one", async () => {
    const ended = newId();
    await runner.exec("echo x; exec sleep 5004", { process_id: ended, wait_ms: 0, timeout_ms: 3 * TIMEOUT_MS });
    await eventually(() => sleepers("5004").length === 1);
    const [pid] = sleepers("5004");
    const reader = newId();
    await runner.exec(`exec 3</proc/${pid}/fd/1; sleep 5005`, { process_id: reader, wait_ms: 0 });
    await eventually(() => sleepers("5005").length === 1);
    expect((await runner.read(ended, { until: "exit" })).timed_out).toBe(true);
    expect(sleepers("5005")).toHaveLength(1);
    unwrap(
      await runner.call("process-signal", {
        process_id: reader,
        signal: "KILL",
        killed_by: "cancel",
        then_kill: false,
      }),
    );
  });

  test("exec() answers at wait_ms and ends the command at timeout_ms when timeout_ms is longer", async () => {
    const process_id = newId();
    const value = await runner.exec("echo so far; sleep 5006", {
      process_id,
      wait_ms: TIMEOUT_MS,
      timeout_ms: 2 * TIMEOUT_MS,
    });
    expect([value.status, value.exit_code, value.stdout.text]).toEqual(["running", null, "so far\n"]);
    const ended = await runner.read(process_id, { until: "exit" });
    expect([ended.status, ended.timed_out, ended.killed_by]).toEqual(["exited", true, "timeout"]);
    expect(ended.duration_ms).toBeGreaterThanOrEqual(2 * TIMEOUT_MS);
  });
});

describe("the runner", () => {
  test("the runner ends everything that it started when it is told to stop", async () => {
    const other = await startRunner();
    await other.exec("trap '' TERM; env -i setsid sleep 5007 & sleep 5007; sleep 5007", { wait_ms: 0 });
    await other.exec("setsid sleep 5007 >/dev/null 2>&1 &");
    await eventually(() => sleepers("5007").length === 3);
    await other.stop();
    expect(other.child.exitCode).toBe(0);
    expect(sleepers("5007")).toEqual([]);
  });
});
