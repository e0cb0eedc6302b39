// What an engine cannot set up, its machines report, and the engine says it at its start.

import { afterAll, afterEach, expect, it } from "vitest";
import {
  type EngineOptions,
  type EngineUnderTest,
  isRoot,
  removeHomes,
  startEngine,
  users,
} from "../engine/engine-under-test.ts";
import { bundledRunner, machineRunner } from "../engine/machine/machine-runner.ts";

const { runner, remove } = await bundledRunner();
let engine: EngineUnderTest;
afterEach(() => engine.close());
afterAll(() => {
  removeHomes();
  remove();
});

const SAID = [
  ["system_calls", "Machines run without a filter of system calls"],
  ["memory", "Memory is limited for each process"],
] as const;

async function gapsOf(options: EngineOptions): Promise<string[]> {
  engine = await startEngine({ ...options, runner });
  await engine.startMachine("a");
  return (await machineRunner(engine, "a").call("usage", {})).gaps;
}

it.each(users)("a machine of an engine run by %s reports the gaps that the engine has said", async (user) => {
  const gaps = await gapsOf({ user });
  const said = engine.stderr.join("");
  expect(gaps).toEqual(SAID.filter(([, sentence]) => said.includes(sentence)).map(([gap]) => gap));
  expect(gaps).not.toContain("system_calls");
});

it.runIf(isRoot)("a machine on a host without perl and control groups reports both", async () => {
  const hostMounts = "mount --bind /dev/null /usr/bin/perl; umount --recursive --lazy /sys/fs/cgroup";
  expect(await gapsOf({ hostMounts })).toEqual(["system_calls", "memory"]);
});
