// A process that removes every mark by which the runner knows what started it, so as to outlive its command's deadline.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EngineUnderTest, removeHomes, startEngine, users } from "../engine/engine-under-test.ts";
import { bundledRunner, type MachineRunner, machineRunner } from "../engine/machine/machine-runner.ts";
import { eventually, newId, sleepers } from "../runner/runner-under-test.ts";

/** It has no parent, session, environment, pipe, score or filter of the command any more. */
const hide = (seconds: string): string => `python3 -c 'import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
open("/proc/self/oom_score_adj", "w").write("1000")
open("/proc/self/coredump_filter", "w").write("0x33")
os.closerange(0, 99)
os.execve("/bin/sleep", ["sleep", "${seconds}"], {})'
until pgrep -x -f 'sleep ${seconds}' >/dev/null; do sleep 0.01; done`;

const { runner, remove } = await bundledRunner();
afterAll(() => {
  removeHomes();
  remove();
});

describe.each(users)("in a machine of an engine run by %s, an escaped process", (user) => {
  let engine: EngineUnderTest;
  let machine: MachineRunner;
  beforeAll(async () => {
    engine = await startEngine({ user, runner });
    await engine.startMachine("a");
    machine = machineRunner(engine, "a");
  });
  afterAll(() => engine.close());

  it("is ended at the deadline of the only command that can have started it", async () => {
    const value = await machine.exec(`${hide("9001")}; sleep 9001`, { timeout_ms: 3_000 });
    expect([value.timed_out, value.left_running, value.unclear]).toEqual([true, 0, 0]);
    expect(sleepers("9001")).toEqual([]);
  });

  it("counts as left running when its command ends, and is ended with the rest then", async () => {
    const process_id = newId();
    expect(await machine.exec(hide("9002"), { process_id })).toMatchObject({ exit_code: 0, left_running: 1 });
    expect((await machine.kill(process_id)).process).toMatchObject({ left_running: 0, unclear: 0 });
    expect(sleepers("9002")).toEqual([]);
  });

  it("is held to the deadline of its command after that has ended", async () => {
    expect((await machine.exec(hide("9003"), { timeout_ms: 5_000 })).left_running).toBe(1);
    await eventually(() => sleepers("9003").length === 0);
  });

  it("is said to be there when another command can have started it too", async () => {
    const other = newId();
    await machine.exec("sleep 9004", { process_id: other, wait_ms: 0 });
    const process_id = newId();
    await machine.exec(`${hide("9005")}; sleep 9006`, { process_id, wait_ms: 0 });
    await eventually(() => sleepers("9006").length === 1);
    expect((await machine.kill(process_id)).process).toMatchObject({ left_running: 0, unclear: 1 });
    expect(sleepers("9005")).toHaveLength(1);
    expect((await machine.kill(other)).process).toMatchObject({ left_running: 0, unclear: 1 });
    await machine.exec("pkill -f 'sleep 9005'");
    await eventually(() => sleepers("9005").length === 0);
  });
});
