// A process that the kernel kills because memory ran out is reported as killed by memory, and no other is.

import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eventually, type RunnerUnderTest, startRunner } from "../runner-under-test.ts";

const V1 = "/sys/fs/cgroup/memory";

interface Group {
  directory: string;
  events: string;
}

/** A real control group of 300 MB, or null when none can be created. */
function makeGroup(): Group | null {
  try {
    const directory = `${V1}/runner-test-${process.pid}`;
    accessSync(V1, constants.W_OK);
    if (!existsSync(`${V1}/memory.limit_in_bytes`)) return null;
    mkdirSync(directory);
    writeFileSync(`${directory}/memory.limit_in_bytes`, String(300 * 1024 * 1024));
    return { directory, events: `${directory}/memory.oom_control` };
  } catch {
    return null;
  }
}

const EATER = `python3 -c 'x = []
while True: x.append(bytearray(10_000_000))'`;

test("exec() reports killed_by memory only when the kernel killed the command for that", async () => {
  const group = makeGroup();
  if (group === null) {
    console.warn("NOT TESTED: no memory control group can be made here");
    return;
  }
  const runner: RunnerUnderTest = await startRunner({ env: { RUNNER_MEMORY_EVENTS: group.events } });
  writeFileSync(`${group.directory}/cgroup.procs`, String(runner.pid));
  try {
    const direct = await runner.exec(`exec ${EATER}`);
    expect([direct.exit_code, direct.signal, direct.killed_by]).toEqual([137, "SIGKILL", "memory"]);
    const child = await runner.exec(`${EATER}; exit $?`);
    expect([child.exit_code, child.killed_by]).toEqual([137, "memory"]);
    const survived = await runner.exec(`${EATER}; echo went on`);
    expect([survived.exit_code, survived.killed_by]).toEqual([0, null]);
    const killed = await runner.exec("kill -KILL $$");
    expect([killed.exit_code, killed.killed_by]).toEqual([137, null]);
  } finally {
    await runner.stop();
    await eventually(() => readFileSync(`${group.directory}/cgroup.procs`, "utf8") === "");
    rmdirSync(group.directory);
  }
});
