// MachineController on a real runner, with a platform that has no machine to give, is slow to stop one, or breaks connections.

import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { succeed } from "../../../src/contract/result.ts";
import { MachineController } from "../../../src/sandbox/machine/machine-controller.ts";
import { Notices } from "../../../src/sandbox/notices.ts";
import { SandboxRecord } from "../../../src/sandbox/storage/sandbox-record.ts";
import { type RunnerUnderTest, startRunner } from "../../runner/runner-under-test.ts";
import { FakePlatform } from "../fake-platform.ts";
import { MemoryKv } from "../memory-kv.ts";

let runner: RunnerUnderTest;
beforeAll(async () => {
  runner = await startRunner();
});
beforeEach(() => {
  vi.spyOn(console, "warn").mockReturnValue();
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => runner.stop());

interface Options {
  startErrors?: Error[];
  url?: string;
  stopMs?: number;
}

function controllerWith({ startErrors = [], url = runner.url, stopMs = 0 }: Options = {}) {
  const kv = new MemoryKv();
  const platform = new FakePlatform({ url, startErrors, stopMs });
  const { log } = platform;
  const admission = {
    admit: async () => {
      log.push("admit");
      return succeed(null);
    },
  };
  const preparation = { prepare: async () => succeed("prepared") };
  const record = new SandboxRecord(kv, "alice/default");
  const notices = new Notices(kv);
  const machine = new MachineController({ platform, admission, preparation, record, notices });
  return { log, machine, platform, notices };
}

const shortage = () =>
  new Error("There is no Container instance that can be provided to this Durable Object, try again later");

test("up() retries while the platform has no machine available", async () => {
  const { machine, log } = controllerWith({ startErrors: [shortage(), shortage()] });
  expect(await machine.up(10_000)).toMatchObject({ ok: true });
  expect(log).toEqual(["admit", "start", "start", "start"]);
});

test("up() gives up with the caller's patience, and says when to try again", async () => {
  const { machine, log } = controllerWith({ startErrors: Array.from({ length: 50 }, shortage) });
  expect(await machine.up(1_500)).toEqual({
    ok: false,
    failure: {
      reason: "machine_unavailable",
      message: "the platform had none available in several attempts",
      retry_after_ms: limits.startRetryLaterMs,
    },
  });
  // A fourth attempt would come after 2.6 s at least.
  expect(log.filter((entry) => entry === "start").length).toBeLessThanOrEqual(3);
});

test("up() does not ask again after a real fault", async () => {
  const { machine, log } = controllerWith({ startErrors: [new Error("Container exited with exit code 1")] });
  expect(await machine.up(10_000)).toMatchObject({ ok: false, failure: { message: "it did not start" } });
  expect(log).toEqual(["admit", "start"]);
  expect(await machine.up(10_000)).toMatchObject({ ok: true });
});

test("up() starts one machine for callers at the same time", async () => {
  const { machine, log } = controllerWith();
  const boots = await Promise.all([machine.up(), machine.up(), machine.up()]);
  expect(new Set(boots.map((boot) => JSON.stringify(boot))).size).toBe(1);
  expect(log).toEqual(["admit", "start"]);
});

test("up() during a stop waits for its end, and gets the next machine", async () => {
  const { machine, log } = controllerWith({ stopMs: 300 });
  await machine.up();
  const stopped = machine.stop();
  expect([machine.isThere, machine.isUp]).toEqual([false, false]);
  expect(await machine.up()).toMatchObject({ ok: true });
  await stopped;
  expect(log).toEqual(["admit", "start", "stop", "gone", "admit", "start"]);
});

test("kill() does not wait for what does not stop", async () => {
  const { machine, log } = controllerWith({ stopMs: 60_000 });
  await machine.up();
  await machine.kill();
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
  const { machine } = controllerWith({ url: `http://127.0.0.1:${port}` });
  expect(machine.isOutdated).toBe(false);
  await machine.up();
  expect([machine.isOutdated, machine.isUp]).toEqual([true, true]);
  older.close();

  const today = controllerWith();
  await today.machine.up();
  expect(today.machine.isOutdated).toBe(false);
});

test("ask() answers a broken connection, and an answer that breaks the contract, with a failure", async () => {
  const { machine, platform } = controllerWith();
  await machine.up();
  platform.isBroken = true;
  expect(await machine.ask("process-list", {})).toEqual({
    ok: false,
    failure: { reason: "machine_unavailable", message: "its runner did not respond", retry_after_ms: 1_000 },
  });
  platform.isRunning = false;
  expect(await machine.ask("process-list", {}, "p1")).toEqual({
    ok: false,
    failure: { reason: "machine_restarted", process_id: "p1" },
  });

  const other = createServer((_, response) => response.end(JSON.stringify({ ok: true, value: { no: "list" } })));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  platform.isBroken = false;
  platform.isRunning = true;
  platform.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  expect(await machine.ask("process-list", {})).toMatchObject({
    failure: { reason: "machine_unavailable", message: expect.stringContaining("an answer that is not valid") },
  });
  expect(machine.isResponding).toBe(false);
  other.close();
});

test("up() makes the notice of a new machine due, once", async () => {
  const { machine, notices } = controllerWith();
  await Promise.all([machine.up(), machine.up()]);
  await machine.up();
  expect(notices.due?.text).toBe("prepared");
});
