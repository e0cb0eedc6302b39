// A long session leaves nothing behind: no process, no file descriptor, no zombie of the runner, and little memory.

import { afterAll, beforeAll, expect, test } from "vitest";
import { processIds } from "../../../container/proc/proc-file.ts";
import { readStat } from "../../../container/proc/process-stat.ts";
import {
  eventually,
  newId,
  openDescriptors,
  type RunnerUnderTest,
  residentMiB,
  sleepers,
  startRunner,
  unwrap,
} from "../runner-under-test.ts";

let runner: RunnerUnderTest;
beforeAll(async () => {
  runner = await startRunner();
});
afterAll(() => runner.stop());

/** How many descriptors may come and go because the pool of pipes is refilled in the background. */
const POOL = 64;

async function settled(): Promise<number> {
  await eventually(async () => unwrap(await runner.call("info", {})).live_processes === 0);
  return openDescriptors(runner.pid);
}

/** Living and dead children of the runner, including its helper programs. */
const childrenOf = (pid: number): number[] => processIds().filter((child) => readStat(child)?.parent === pid);

test("a session leaves no process, descriptor or zombie when it makes 500 calls, 100 timeouts and 200 orphans", async () => {
  await runner.exec("echo warm");
  const before = await settled();
  for (let round = 0; round < 50; round++) {
    const calls = Array.from({ length: 10 }, (_, n) => runner.exec(`echo ${n}; echo ${n} >&2`, { stdin: "x" }));
    expect((await Promise.all(calls)).map((value) => value.stdout.text + value.stderr.text)).toEqual(
      Array.from({ length: 10 }, (_, n) => `${n}\n${n}\n`),
    );
  }
  const memory = residentMiB(runner.pid);
  for (let round = 0; round < 10; round++) {
    const calls = Array.from({ length: 10 }, () => runner.exec("setsid sleep 7001 & sleep 7001", { timeout_ms: 50 }));
    expect((await Promise.all(calls)).map((value) => [value.timed_out, value.left_running])).toEqual(
      Array(10).fill([true, 0]),
    );
  }
  const process_id = newId();
  const orphans = "for n in $(seq 200); do (setsid sleep 7002 >/dev/null 2>&1 &); done; echo made";
  const value = await runner.exec(orphans, { process_id });
  expect(value.stdout.text).toBe("made\n");
  await eventually(() => sleepers("7002").length === 200);
  expect((await runner.read(process_id)).left_running).toBe(200);
  const request = { process_id, signal: "TERM", killed_by: "process_signal", then_kill: true } as const;
  expect(unwrap(await runner.call("process-signal", request)).signalled).toBe(200);
  await eventually(() => sleepers("7001").length + sleepers("7002").length === 0);
  // Half-open inputs go with their processes as well.
  await Promise.all(Array.from({ length: 10 }, () => runner.exec("read x", { stdin_open: true, timeout_ms: 100 })));
  const pipes = POOL + 16;
  await eventually(async () => (await settled()) <= before + pipes);
  await eventually(() => childrenOf(runner.pid).length === 0);
  expect(residentMiB(runner.pid) - memory).toBeLessThan(48);
});
