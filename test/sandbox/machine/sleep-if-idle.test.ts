// Whether a machine is put to sleep, for each thing that may speak against it, at each moment that it may come.

import { expect, test } from "vitest";
import { type Sleeper, sleepIfIdle } from "../../../src/sandbox/machine/sleep-if-idle.ts";

interface Scene {
  there?: boolean;
  busy?: boolean;
  work?: boolean;
  despiteWork?: boolean;
  /** A call comes and goes while the machine is asked for work, or while its files are stored. */
  callDuring?: "hasWork" | "beforeSleep";
  /** The files could not be stored. */
  unstored?: boolean;
  /** A call comes then and stays. */
  stays?: boolean;
}

async function play({
  there = true,
  busy = false,
  work = false,
  despiteWork = false,
  callDuring,
  unstored = false,
  stays = false,
}: Scene) {
  const log: string[] = [];
  let calls = 0;
  let isBusy = busy;
  const step = (name: string) => {
    log.push(name);
    if (callDuring !== name) return;
    calls += 1;
    isBusy = stays;
  };
  const machine: Sleeper = {
    isThere: there,
    get isBusy() {
      return isBusy;
    },
    get callCount() {
      return calls;
    },
    hasWork: async () => {
      step("hasWork");
      return work;
    },
    beforeSleep: async () => {
      step("beforeSleep");
      return !unstored;
    },
    stop: async () => step("stop"),
  };
  return [await sleepIfIdle(machine, { despiteWork }), ...log];
}

test.each<[string, Scene, string[]]>([
  ["nothing to do", {}, ["asleep", "hasWork", "beforeSleep", "stop"]],
  ["no machine", { there: false }, ["asleep"]],
  ["a call under way", { busy: true }, ["busy"]],
  ["a call under way, and enough of work", { busy: true, despiteWork: true }, ["busy"]],
  ["a process", { work: true }, ["busy", "hasWork"]],
  ["a process that was awake for long enough", { work: true, despiteWork: true }, ["asleep", "beforeSleep", "stop"]],
  ["files that could not be stored", { unstored: true }, ["busy", "hasWork", "beforeSleep"]],
  ["a call while it is asked", { callDuring: "hasWork" }, ["busy", "hasWork"]],
  [
    "a call that came and went while files are stored",
    { callDuring: "beforeSleep" },
    ["busy", "hasWork", "beforeSleep"],
  ],
  ["a call that stays", { callDuring: "beforeSleep", stays: true }, ["busy", "hasWork", "beforeSleep"]],
])("sleepIfIdle() with %s", async (_, scene, expected) => {
  expect(await play(scene)).toEqual(expected);
});
