// When the files of a sandbox are stored: after changes, with retries, before a stop, and when the machine is told to end.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { type MachineUnderTest, machineUnderTest } from "../../runner/checkpoint/machine-under-test.ts";
import { unwrap } from "../../runner/runner-under-test.ts";
import { AFTER_MS, type SandboxUnderTest, sandboxUnderTest } from "../sandbox-under-test.ts";

let host: MachineUnderTest;
let sandbox: SandboxUnderTest;
beforeEach(async () => {
  vi.spyOn(console, "error").mockReturnValue();
  host = await machineUnderTest();
  sandbox = sandboxUnderTest({ runner: host.runner });
  unwrap(await sandbox.machine.up());
  sandbox.stores.notices.clear();
});
afterEach(async () => {
  vi.restoreAllMocks();
  sandbox.platform.isRunning = false;
  // Asked to end, it would wait for the last checkpoint.
  host.runner.child.kill("SIGKILL");
  await host.stop();
});

const write = (name: string) => writeFileSync(join(host.workspace, name), name);
const count = () => sandbox.keeper.list().checkpoints.length;
/** Moves the clock, without waiting. */
const later = (ms: number) => vi.spyOn(Date, "now").mockReturnValue(performance.timeOrigin + performance.now() + ms);

test("recordChange() schedules one checkpoint, which is taken when changes have stopped", async () => {
  const { files, platform } = sandbox;
  expect([files.hasUnstored, platform.scheduled]).toEqual([false, []]);
  write("a");
  files.recordChange();
  files.recordChange();
  expect([files.hasUnstored, platform.scheduled]).toEqual([true, [AFTER_MS]]);
  await files.storeWhenDue();
  expect([count(), platform.scheduled.length]).toEqual([0, 2]);
  later(AFTER_MS);
  await files.storeWhenDue();
  expect([count(), files.hasUnstored, platform.scheduled.length]).toEqual([1, false, 2]);
});

test("storeWhenDue() does not wait for ever for changes to stop", async () => {
  const { files } = sandbox;
  write("a");
  files.recordChange();
  later(AFTER_MS * limits.checkpointMaxDelayFactor);
  files.recordChange();
  await files.storeWhenDue();
  expect(count()).toBe(1);
});

test("storeWhenDue() looks again while a process runs", async () => {
  const { files, platform } = sandbox;
  await host.runner.exec("sleep 100", { process_id: "p", wait_ms: 0, cwd: host.workspace });
  write("a");
  files.recordChange();
  later(AFTER_MS);
  await files.storeWhenDue();
  expect([count(), platform.scheduled.length]).toEqual([1, 2]);
  expect(sandbox.stores.processes.list()).toEqual([{ process_id: "p", command: "sleep 100" }]);
});

test("a failure is told once and tried again later and later; the next success forgets it", async () => {
  const { files, platform, bucket, stores } = sandbox;
  write("a");
  files.recordChange();
  bucket.isDown = true;
  later(AFTER_MS);
  await files.storeWhenDue();
  await files.storeWhenDue();
  expect(platform.scheduled).toEqual([AFTER_MS, AFTER_MS * 2, AFTER_MS * 4]);
  expect(stores.notices.due?.text).toBe(
    "The files could not be stored (its bytes could not be stored); this is retried while the machine is up.",
  );
  bucket.isDown = false;
  await files.storeWhenDue();
  expect([count(), platform.scheduled.length]).toEqual([1, 3]);
});

test("a bug is thrown on, and the files are still stored later", async () => {
  const { files, platform, keeper } = sandbox;
  write("a");
  files.recordChange();
  later(AFTER_MS);
  vi.spyOn(keeper, "take").mockRejectedValueOnce(new TypeError("a bug"));
  await expect(files.storeWhenDue()).rejects.toThrow("a bug");
  expect(platform.scheduled).toEqual([AFTER_MS, AFTER_MS * 2]);
  await files.storeWhenDue();
  expect(count()).toBe(1);
});

test("storeWhenDue() does nothing without a machine", async () => {
  sandbox.files.recordChange();
  sandbox.platform.isRunning = false;
  later(AFTER_MS);
  await sandbox.files.storeWhenDue();
  expect([count(), sandbox.platform.scheduled]).toEqual([0, [AFTER_MS]]);
});

test("a stop after everything was stored is a clean stop", async () => {
  const { files, machine, stores } = sandbox;
  write("a");
  files.recordChange();
  expect(await files.store()).toBe(true);
  await machine.stop();
  expect(stores.checkpointState.cleanStop).toBe(stores.record.bootId);
});

test("a stop with files that are not stored is no clean stop", async () => {
  const { files, machine, stores } = sandbox;
  files.recordChange();
  await machine.stop();
  expect(stores.checkpointState.cleanStop).toBeNull();
});

test("a machine that is told to end has its files stored first, and gets no more calls", async () => {
  const { machine, stores } = sandbox;
  // The runner answers in order, so the watch has begun when this is answered.
  unwrap(await host.runner.call("info", {}));
  await expect.poll(() => machine.isThere).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  write("last");
  const exit = new Promise((resolve) => host.runner.child.once("exit", resolve));
  host.runner.child.kill("SIGTERM");
  await expect.poll(count).toBe(1);
  expect(machine.isThere).toBe(false);
  await exit;
  await expect.poll(() => stores.checkpointState.cleanStop).toBe(stores.record.bootId);
});
