// When the files of a sandbox are stored: after changes, with retries, before a stop, and when the machine is told to end.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type MachineUnderTest, machineUnderTest } from "../../runner/checkpoint/machine-under-test.ts";
import { unwrap } from "../../runner/runner-under-test.ts";
import { AFTER_MS, type SandboxUnderTest, sandboxUnderTest } from "../sandbox-under-test.ts";

let host: MachineUnderTest;
let sandbox: SandboxUnderTest;
let upAt: number;
beforeEach(async () => {
  vi.spyOn(console, "error").mockReturnValue();
  host = await machineUnderTest();
  sandbox = sandboxUnderTest({ runner: host.runner });
  unwrap(await sandbox.machine.up());
  sandbox.stores.notices.clear();
  upAt = Date.now();
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
/** Stops the clock, so long after the machine came up. */
const later = (ms: number) => vi.spyOn(Date, "now").mockReturnValue(upAt + ms);
/** What was scheduled since the last call of this function, as multiples of AFTER_MS. */
const newlyScheduled = () => sandbox.platform.scheduled.splice(0).map((ms) => ms / AFTER_MS);

test("recordChange() schedules one checkpoint, which is taken when it is due", async () => {
  later(0);
  const { files } = sandbox;
  expect([files.hasUnstored, newlyScheduled()]).toEqual([false, []]);
  write("a");
  files.recordChange();
  files.recordChange();
  expect([files.hasUnstored, newlyScheduled()]).toEqual([true, [1]]);
  await files.storeWhenDue();
  expect([count(), newlyScheduled()]).toEqual([0, [1]]);
  later(AFTER_MS);
  await files.storeWhenDue();
  expect([count(), files.hasUnstored, newlyScheduled()]).toEqual([1, false, []]);
});

test("changes that never pause do not put off a checkpoint", async () => {
  later(0);
  const { files } = sandbox;
  write("a");
  files.recordChange();
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    later((AFTER_MS * tenth) / 10);
    files.recordChange();
  }
  await files.storeWhenDue();
  expect([count(), newlyScheduled()]).toEqual([1, [1]]);
});

test("a checkpoint that takes long does not put off the next one, which is due by the first change during it", async () => {
  later(0);
  const { files, keeper } = sandbox;
  const take = keeper.take.bind(keeper);
  vi.spyOn(keeper, "take").mockImplementationOnce(async (...args) => {
    const taken = await take(...args);
    later(AFTER_MS * 1.5);
    write("b");
    files.recordChange();
    later(AFTER_MS * 10);
    return taken;
  });
  write("a");
  files.recordChange();
  later(AFTER_MS);
  await files.storeWhenDue();
  expect([count(), files.hasUnstored, newlyScheduled()]).toEqual([1, true, [1, 0]]);
  await files.storeWhenDue();
  expect([count(), files.hasUnstored]).toEqual([2, false]);
});

test("storeWhenDue() looks again while a process runs, which may write without a call", async () => {
  later(0);
  const { files } = sandbox;
  await host.runner.exec("sleep 100", { process_id: "p", wait_ms: 0, cwd: host.workspace });
  write("a");
  files.recordChange();
  later(AFTER_MS);
  await files.storeWhenDue();
  expect([count(), newlyScheduled()]).toEqual([1, [1, 1]]);
  expect(sandbox.stores.processes.list()).toEqual([{ process_id: "p", command: "sleep 100" }]);
  write("b");
  later(AFTER_MS * 2);
  await files.storeWhenDue();
  expect([count(), newlyScheduled()]).toEqual([2, [1]]);
});

test("a call in flight on a machine that it started is stored while it goes on", async () => {
  const { files, machine } = sandbox;
  host.renew();
  machine.clear();
  sandbox.stores.record.bootId = "an-earlier-machine";
  later(10 * AFTER_MS);
  const end = files.beginChange();
  unwrap(await machine.up());
  write("a");
  expect([files.hasUnstored, newlyScheduled()]).toEqual([false, [1]]);
  for (const round of [1, 2]) {
    write(`b${round}`);
    later((10 + round) * AFTER_MS);
    await files.storeWhenDue();
    expect([count(), newlyScheduled()]).toEqual([round, [1]]);
  }
  end();
  later(20 * AFTER_MS);
  await files.storeWhenDue();
  expect(newlyScheduled()).toEqual([]);
});

test("a process that is started later than the last checkpoint is looked at later too", async () => {
  const { files } = sandbox;
  later(10 * AFTER_MS);
  await host.runner.exec("sleep 100", { process_id: "p", wait_ms: 0, cwd: host.workspace });
  const list = unwrap(await host.runner.call("process-list", {}));
  for (const process of list.processes) files.trackProcess(process);
  expect(newlyScheduled()).toEqual([1]);
});

test("a Worker that was restarted stores in time what was changed before, without any call", async () => {
  later(0);
  write("a");
  sandbox.files.recordChange();
  const { storage, bucket, platform } = sandbox;
  later(AFTER_MS / 2);
  newlyScheduled();
  sandbox = sandboxUnderTest({ runner: host.runner, storage, bucket, platform });
  expect(newlyScheduled()).toEqual([0.5]);
  later(AFTER_MS);
  await sandbox.files.storeWhenDue();
  expect([count(), sandbox.files.hasUnstored]).toEqual([1, false]);
});

test("a scheduled call that never came is scheduled again", async () => {
  later(0);
  const { files } = sandbox;
  files.recordChange();
  later(AFTER_MS + 4_000);
  files.recordChange();
  expect(newlyScheduled()).toEqual([1]);
  later(AFTER_MS + 6_000);
  files.recordChange();
  expect(newlyScheduled()).toEqual([0]);
});

test("status says since when changes are not stored, and when they will be", async () => {
  const { files } = sandbox;
  const stored = { unsaved_since: null, next_at: null, is_storing: false, problem: null };
  expect(files.status).toEqual(stored);
  later(0);
  write("a");
  files.recordChange();
  expect(files.status).toEqual({ ...stored, unsaved_since: upAt, next_at: upAt + AFTER_MS });
  later(AFTER_MS);
  const storing = files.store();
  expect(files.status).toEqual({ ...stored, unsaved_since: upAt, is_storing: true });
  await storing;
  expect(files.status).toEqual(stored);
  files.recordChange();
  sandbox.platform.isRunning = false;
  expect(files.status).toEqual(stored);
});

test("take() for a caller stores the changes too, and its failure is not reported twice", async () => {
  const { files, bucket, stores } = sandbox;
  write("a");
  files.recordChange();
  bucket.isDown = true;
  expect(await files.take("named", "x")).toMatchObject({ ok: false });
  expect([files.hasUnstored, stores.notices.due]).toEqual([true, null]);
  bucket.isDown = false;
  expect(await files.take("named", "x")).toMatchObject({ ok: true });
  expect(files.hasUnstored).toBe(false);
});

test("a failure is told and tried again later and later; the next success forgets it", async () => {
  later(0);
  const { files, bucket, stores } = sandbox;
  write("a");
  files.recordChange();
  bucket.isDown = true;
  later(AFTER_MS);
  await files.storeWhenDue();
  later(AFTER_MS * 2);
  await files.storeWhenDue();
  later(AFTER_MS * 4);
  await files.storeWhenDue();
  expect(newlyScheduled()).toEqual([1, 1, 2, 4]);
  expect(stores.notices.due?.text).toBe(
    "The files could not be stored (its bytes could not be stored); this is retried while the machine is up.",
  );
  expect(files.status).toMatchObject({ problem: "its bytes could not be stored" });
  bucket.isDown = false;
  later(AFTER_MS * 8);
  await files.storeWhenDue();
  expect([count(), newlyScheduled(), files.status.problem]).toEqual([1, [], null]);
});

test("a failure that goes on is told again after a while", async () => {
  later(0);
  const { files, bucket, stores } = sandbox;
  write("a");
  files.recordChange();
  bucket.isDown = true;
  later(AFTER_MS);
  await files.storeWhenDue();
  stores.notices.clear();
  for (let minute = 1; minute <= 10; minute += 1) {
    expect(stores.notices.due).toBeNull();
    later(AFTER_MS + minute * 60_000);
    await files.storeWhenDue();
  }
  expect(stores.notices.due?.text).toMatch(
    /^The files have not been stored for 10 min \(its bytes could not be stored\): .* The next attempt is in about \d+ (s|min)/,
  );
});

test("a bug is thrown on, and the files are still stored later", async () => {
  later(0);
  const { files, keeper } = sandbox;
  write("a");
  files.recordChange();
  later(AFTER_MS);
  vi.spyOn(keeper, "take").mockRejectedValueOnce(new TypeError("a bug"));
  await expect(files.storeWhenDue()).rejects.toThrow("a bug");
  expect([newlyScheduled(), files.status.problem]).toEqual([[1, 1], "an internal error"]);
  later(AFTER_MS * 2);
  await files.storeWhenDue();
  expect(count()).toBe(1);
});

test("storeWhenDue() does nothing without a machine", async () => {
  later(0);
  sandbox.files.recordChange();
  sandbox.platform.isRunning = false;
  later(AFTER_MS);
  await sandbox.files.storeWhenDue();
  expect([count(), newlyScheduled()]).toEqual([0, [1]]);
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
  const { machine, platform, stores } = sandbox;
  await expect.poll(() => machine.isThere).toBe(true);
  await expect.poll(() => platform.requests).toContain("/v1/checkpoint-watch");
  // The runner answers in order, so the watch has begun when this is answered.
  unwrap(await host.runner.call("info", {}));
  write("last");
  const exit = new Promise((resolve) => host.runner.child.once("exit", resolve));
  host.runner.child.kill("SIGTERM");
  await expect.poll(count).toBe(1);
  expect(machine.isThere).toBe(false);
  await exit;
  await expect.poll(() => stores.checkpointState.cleanStop).toBe(stores.record.bootId);
});
