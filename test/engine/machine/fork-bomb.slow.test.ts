// Commands that fork as fast as they can, in a real machine with a limit of processes: whoever asks for their end gets it, and
// nothing new of them appears afterwards.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually, newId } from "../../runner/runner-under-test.ts";
import { type EngineUnderTest, processesIn, removeHomes, startEngine, users } from "../engine-under-test.ts";
import { bundledRunner, type MachineRunner, machineRunner } from "./machine-runner.ts";

const { runner, remove } = await bundledRunner();
const PROCESSES = 300;
afterAll(() => {
  removeHomes();
  remove();
});

const perl = (code: string): string => `exec perl -MPOSIX=setsid -e '${code}' >/dev/null 2>&1`;

const bombs = [
  { what: "a fork bomb whose shell ends at once", command: ":(){ :|:& };:" },
  {
    what: "a fork bomb whose shell goes on",
    command: "f() { f | f & }; f >/dev/null 2>&1; while :; do sleep 0.01; done",
  },
  {
    what: "a bomb that ignores every signal it can",
    command: perl('$SIG{$_} = "IGNORE" for keys %SIG; fork while 1'),
  },
  { what: "a bomb each of whose processes has a session of its own", command: perl("while (1) { fork or setsid }") },
  { what: "a process that is always another one", command: perl("while (1) { fork and exit }") },
  {
    what: "a process that is always another one in another session",
    command: perl("while (1) { fork and exit; setsid }"),
  },
  {
    what: "processes that wake each other when they are stopped",
    command: perl("fork; fork; fork; while (1) { fork or (kill(CONT => -1), exit); wait }"),
  },
];

describe.each(users)("in a machine of an engine run by %s", (user) => {
  let engine: EngineUnderTest;
  let machine: MachineRunner;
  let namespace: string;
  let before: number;
  const count = (): number => processesIn(engine, namespace).length;

  beforeAll(async () => {
    engine = await startEngine({ user, runner, environment: { SANDBOX_MCP_PIDS: String(PROCESSES) } });
  });
  afterAll(() => engine.close());
  beforeEach(async () => {
    await engine.startMachine("a");
    machine = machineRunner(engine, "a");
    namespace = (await machine.exec("readlink /proc/self/ns/pid")).stdout.text.trim();
    before = count();
  });
  afterEach(async () => {
    for (const container of ["a", "a-proxy"]) await engine.api("DELETE", `/containers/${container}?force=true`);
  });

  it.each(bombs)("process-signal with KILL ends $what", async ({ command }) => {
    const process_id = newId();
    await machine.exec(command, { process_id, wait_ms: 500 });
    const { process, signalled } = await machine.kill(process_id);
    expect([process.status, process.left_running]).toEqual(["exited", 0]);
    expect(signalled).toBeGreaterThan(0);
    // Process 1 reaps them a moment later.
    await eventually(() => count() === before);
    expect((await machine.exec("sleep 0.1; echo fine")).stdout.text).toBe("fine\n");
    expect(count()).toBe(before);
  });

  it.each(bombs)("a deadline ends $what", async ({ command }) => {
    const process_id = newId();
    await machine.exec(command, { process_id, timeout_ms: 700 });
    await eventually(async () => (await machine.call("info", {})).live_processes === 0);
    await eventually(() => count() === before);
  });
});
