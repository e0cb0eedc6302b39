// A Machine on a real runner, with a platform that has its moods: none to give, slow to stop, another contract.

import { createServer } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { succeed } from "../../../src/contract/result.ts";
import { Machine, type MachineHost } from "../../../src/sandbox/machine/machine-controller.ts";
import { type RunnerUnderTest, startRunner } from "../../runner/runner-under-test.ts";

let runner: RunnerUnderTest;
beforeEach(async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  vi.spyOn(console, "error").mockReturnValue();
  runner = await startRunner();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await runner.stop();
});

/** `moods` are the errors that the next starts end with. */
function platform({ moods = [] as Error[], url = runner.url, stopMs = 0 } = {}) {
  const log: string[] = [];
  let running = false;
  let bootId: string | null = null;
  const host: MachineHost = {
    running: () => running,
    admit: async () => {
      log.push("admit");
      return succeed(null);
    },
    start: async () => {
      log.push("start");
      const mood = moods.shift();
      if (mood !== undefined) throw mood;
      running = true;
    },
    stop: async () => {
      log.push("stop");
      setTimeout(() => {
        running = false;
        log.push("gone");
      }, stopMs);
    },
    kill: async () => {
      log.push("kill");
      running = false;
    },
    port: () => ({ fetch: (target, init) => fetch(target.replace("http://runner", url), init) }),
    loadBootId: () => bootId,
    saveBootId: (id) => {
      bootId = id;
    },
    prepare: async () => succeed("prepared"),
    met: () => undefined,
    announce: () => undefined,
    changed: () => undefined,
  };
  return { host, log, machine: new Machine(host) };
}

const shortage = () =>
  new Error("There is no Container instance that can be provided to this Durable Object, try again later");

test("up() asks again while the platform has none to give", async () => {
  const { machine, log } = platform({ moods: [shortage(), shortage()] });
  expect(await machine.up(10_000)).toMatchObject({ ok: true });
  expect(log).toEqual(["admit", "start", "start", "start"]);
});

test("up() gives up with the caller's patience, and says when to try again", async () => {
  const { machine } = platform({ moods: Array.from({ length: 50 }, shortage) });
  const startedAt = Date.now();
  expect(await machine.up(1_500)).toEqual({
    ok: false,
    failure: {
      reason: "machine_unavailable",
      message: "the platform has none to give at the moment, and was asked several times",
      retry_after_ms: limits.startRetryLaterMs,
    },
  });
  // With one more pause it would be 2.6 s at least.
  expect(Date.now() - startedAt).toBeLessThan(2_500);
});

test("up() does not ask again after a real fault", async () => {
  const { machine, log } = platform({ moods: [new Error("Container exited with exit code 1")] });
  expect(await machine.up(10_000)).toMatchObject({ ok: false, failure: { message: "it did not start" } });
  expect(log).toEqual(["admit", "start"]);
  expect(await machine.up(10_000)).toMatchObject({ ok: true });
});

test("up() starts one machine for callers at the same time", async () => {
  const { machine, log } = platform();
  const boots = await Promise.all([machine.up(), machine.up(), machine.up()]);
  expect(new Set(boots.map((boot) => JSON.stringify(boot))).size).toBe(1);
  expect(log).toEqual(["admit", "start"]);
});

test("up() during a stop waits for its end, and gets the next machine", async () => {
  const { machine, log } = platform({ stopMs: 300 });
  await machine.up();
  const stopped = machine.stop();
  expect([machine.isThere, machine.isUp()]).toEqual([false, false]);
  expect(await machine.up()).toMatchObject({ ok: true });
  await stopped;
  expect(log).toEqual(["admit", "start", "stop", "gone", "admit", "start"]);
});

test("end() does not wait for what does not stop", async () => {
  const { machine, log } = platform({ stopMs: 60_000 });
  await machine.up();
  await machine.end();
  expect([log.at(-1), machine.isThere]).toEqual(["kill", false]);
});

test("a runner of an earlier contract is known as outdated, and serves on", async () => {
  const older = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ok: true, value: { boot_id: "b", contract_version: 0, live_processes: 0 } }));
  });
  await new Promise<void>((resolve) => older.listen(0, "127.0.0.1", resolve));
  const address = older.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { machine } = platform({ url: `http://127.0.0.1:${port}` });
  expect(machine.isOutdated).toBe(false);
  await machine.up();
  expect([machine.isOutdated, machine.isUp()]).toEqual([true, true]);
  older.close();

  const today = platform();
  await today.machine.up();
  expect(today.machine.isOutdated).toBe(false);
});
