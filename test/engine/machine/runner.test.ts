// The runner in a real machine, where it has fewer privileges than on the host of its own tests: it still finds everything
// that a command started.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { escapes, servers } from "../../runner/process/escapes.ts";
import { eventually, newId, sleepers } from "../../runner/runner-under-test.ts";
import { type EngineUnderTest, removeHomes, startEngine, users } from "../engine-under-test.ts";
import { bundledRunner, type MachineRunner, machineRunner } from "./machine-runner.ts";

const { runner, remove } = await bundledRunner();
afterAll(() => {
  removeHomes();
  remove();
});

describe.each(users)("the runner in a machine of an engine run by %s", (user) => {
  let engine: EngineUnderTest;
  let machine: MachineRunner;
  beforeAll(async () => {
    engine = await startEngine({ user, runner });
    await engine.startMachine("a");
    machine = machineRunner(engine, "a");
  });
  afterAll(() => engine.close());

  it.each(escapes("8001"))("ends all of a command at its deadline when $when", async ({ command }) => {
    const value = await machine.exec(`echo before; ${command}`, { timeout_ms: 300 });
    expect([value.timed_out, value.killed_by, value.left_running]).toEqual([true, "timeout", 0]);
    expect(sleepers("8001")).toEqual([]);
  });

  it.each(servers("8002"))(
    "reports what a command left running, and ends it when asked, when $when",
    async ({ command }) => {
      const process_id = newId();
      const value = await machine.exec(command, { process_id });
      expect([value.status, value.left_running > 0]).toEqual(["exited", true]);
      // One of the commands keeps starting others.
      await eventually(async () => (await machine.call("info", {})).live_processes === value.left_running);
      expect((await machine.kill(process_id)).process.left_running).toBe(0);
      await eventually(() => sleepers("8002").length === 0);
    },
  );

  it("ends a daemon of a command after other commands have been started", async () => {
    const process_id = newId();
    await machine.exec("env -i setsid -f sleep 8003 </dev/null >/dev/null 2>&1; sleep 8003", {
      process_id,
      wait_ms: 0,
    });
    await eventually(() => sleepers("8003").length === 2);
    for (let n = 0; n < 20; n++) expect((await machine.exec("env -i true; true")).left_running).toBe(0);
    expect((await machine.kill(process_id)).signalled).toBe(2);
    expect(sleepers("8003")).toEqual([]);
  });

  it("is killed after its commands when memory runs out", async () => {
    const own = readFileSync("/proc/self/oom_score_adj", "utf8").trim();
    // The runner raises its own score while it starts the command, and may lower it a moment after the command has begun.
    const taken = `until [ "$(cat /proc/$PPID/oom_score_adj)" = ${own} ]; do sleep 0.01; done`;
    const score = await machine.exec(`cat /proc/self/oom_score_adj; ${taken}`, { timeout_ms: 10_000 });
    expect(score.exit_code).toBe(0);
    const command = Number(score.stdout.text);
    expect(command).toBeGreaterThanOrEqual(500);
    expect(command).toBeLessThan(628);
  });
});
