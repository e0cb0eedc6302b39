// Checkpoints of one sandbox on a real runner and an object store in memory: taking, restoring, comparing, forking, deleting, what a
// new machine gets, and what is answered when the machine or the store fails.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { CheckpointInfo } from "../../../src/contract/checkpoint.ts";
import { limits } from "../../../src/contract/limits.ts";
import { checkpointActions } from "../../../src/sandbox/checkpoints/checkpoint-actions.ts";
import { type MachineUnderTest, machineUnderTest } from "../../runner/checkpoint/machine-under-test.ts";
import { unwrap } from "../../runner/runner-under-test.ts";
import { type SandboxUnderTest, sandboxUnderTest } from "../sandbox-under-test.ts";

let host: MachineUnderTest;
let sandbox: SandboxUnderTest;
beforeAll(async () => {
  host = await machineUnderTest();
});
beforeEach(async () => {
  vi.spyOn(console, "error").mockReturnValue();
  host.renew();
  sandbox = sandboxUnderTest({ runner: host.runner });
  unwrap(await sandbox.machine.up());
});
afterEach(() => {
  vi.restoreAllMocks();
  // Ends the watch for the end of the machine.
  sandbox.platform.isRunning = false;
});
afterAll(async () => {
  // Asked to end, it would wait for a last checkpoint.
  host.runner.child.kill("SIGKILL");
  await host.stop();
});

const write = (name: string, text: string) => writeFileSync(join(host.workspace, name), text);
const content = (name: string) => readFileSync(join(host.workspace, name), "utf8");
const named = async (name: string): Promise<CheckpointInfo> => unwrap(await sandbox.keeper.take("named", name));
const automatic = async (): Promise<CheckpointInfo> => unwrap(await sandbox.keeper.take("automatic", null));
const layers = () => sandbox.bucket.keys("layers/");

/** The machine ends without storing anything, and another one is started without its files. */
function loseMachine(): void {
  host.renew();
  sandbox.platform.isRunning = false;
  sandbox.machine.clear();
  // The runner is the same process, whose boot id must not be taken for that of the machine before.
  sandbox.stores.record.bootId = "an-earlier-machine";
}

test("take() stores a base, then what changed, then nothing", async () => {
  write("a", "1");
  const base = await automatic();
  write("b", "2");
  const delta = await automatic();
  expect([base, delta]).toMatchObject([
    { files: 1, added: 1 },
    { files: 2, added: 1 },
  ]);
  expect([await automatic(), layers().length]).toEqual([delta, 2]);
  expect(await named("same")).toMatchObject({ name: "same", added: 0, bytes: 0 });
  expect(sandbox.keeper.list().checkpoints).toHaveLength(3);
});

test("take() at the same time runs one after the other", async () => {
  write("a", "1");
  const [first, second] = await Promise.all([automatic(), automatic()]);
  expect(second).toEqual(first);
});

test("take() of a sandbox that was never used says that there is nothing to store, and starts no machine", async () => {
  sandbox = sandboxUnderTest({ runner: host.runner });
  expect(await sandbox.keeper.take("named", "x")).toMatchObject({
    failure: { reason: "checkpoint_failed", message: "the sandbox has not been used, so there is nothing to store" },
  });
  expect(sandbox.platform.log).toEqual([]);
});

test("take() without a machine answers the newest only when the last machine ended with everything stored", async () => {
  write("a", "1");
  const newest = await automatic();
  sandbox.stores.checkpointState.cleanStop = sandbox.stores.record.bootId;
  sandbox.platform.isRunning = false;
  expect([await automatic(), sandbox.platform.log]).toEqual([newest, ["start"]]);
  sandbox.stores.checkpointState.cleanStop = null;
  await automatic();
  expect(sandbox.platform.log).toEqual(["start", "start"]);
});

test("restore() stores the present files first and puts those of the checkpoint in place", async () => {
  write("a", "old");
  await named("first");
  write("a", "new");
  const restored = unwrap(await sandbox.keeper.restore("first"));
  expect(restored).toMatchObject({ restored: { name: "first" }, before: { kind: "before-restore" }, in_machine: true });
  expect(content("a")).toBe("old");
  await sandbox.keeper.restore(restored.before.id);
  expect(content("a")).toBe("new");
});

test("a machine that is new gets the files of the newest checkpoint, and the notice says what was lost", async () => {
  write("a", "stored");
  const newest = await named("kept");
  sandbox.stores.processes.trackProcess({
    ...{ process_id: "server", command: "serve", status: "running", exit_code: null, signal: null, timed_out: false },
    ...{
      killed_by: null,
      started_at: 0,
      duration_ms: 0,
      left_running: 0,
      left_for_ms: null,
      left_ended: 0,
      unclear: 0,
      stdout_bytes: 0,
      stderr_bytes: 0,
    },
  });
  sandbox.stores.notices.clear();
  loseMachine();
  expect(await sandbox.machine.up()).toMatchObject({ ok: true });
  expect(content("a")).toBe("stored");
  expect(sandbox.stores.notices.due?.text).toMatch(
    new RegExp(`without a chance to store its files first.*${newest.id} "kept".*Lost with it: server \\(serve\\)`),
  );
});

test("a checkpoint whose bytes were damaged is passed over for the one before it", async () => {
  write("a", "sound");
  await named("sound");
  write("a", "damaged");
  const damaged = await named("damaged");
  const layer = sandbox.stores.checkpointIndex.find("damaged")?.layer ?? "";
  sandbox.bucket.damage(`layers/object/${layer}`);
  sandbox.stores.notices.clear();
  loseMachine();
  expect(await sandbox.machine.up()).toMatchObject({ ok: true });
  expect(content("a")).toBe("sound");
  expect(sandbox.stores.notices.due?.text).toContain(`Checkpoint ${damaged.id} is newer but could not be used`);
  expect(sandbox.keeper.list().checkpoints).toHaveLength(2);
  expect(sandbox.stores.checkpointIndex.newest()?.name).toBe("sound");
});

test("diff() names what changed, between checkpoints and up to now, with the text of one file", async () => {
  write("a", "one\n");
  await named("first");
  write("a", "two\n");
  write("b", "");
  await named("second");
  write("c", "");
  const diff = (to: string | null, path: string | null) => sandbox.keeper.diff({ from: "first", to, path });
  expect(unwrap(await diff("second", "a"))).toMatchObject({ changed_count: 1, text: expect.stringContaining("+two") });
  expect(unwrap(await diff(null, null))).toMatchObject({ added_count: 2, changed_count: 1, text: null });
  expect(await diff("third", null)).toMatchObject({ failure: { reason: "not_found", name: "third" } });
});

test("fork() and adopt() let another sandbox start from a checkpoint, and a layer goes with its last user", async () => {
  write("a", "forked");
  await named("source");
  const fork = unwrap(await sandbox.keeper.fork(null));
  const other = sandboxUnderTest({ runner: host.runner, bucket: sandbox.bucket });
  expect(other.keeper.adopt(fork)).toMatchObject({ name: null, files: 1, bytes: 0 });
  expect(unwrap(await sandbox.keeper.deleteAll()).freed_bytes).toBe(0);
  expect(layers()).toHaveLength(1);
  host.renew();
  expect(await other.machine.up()).toMatchObject({ ok: true });
  expect(content("a")).toBe("forked");
  expect(other.stores.notices.due?.text).toContain("with the files of a checkpoint");
  expect(unwrap(await other.keeper.deleteAll()).freed_bytes).toBeGreaterThan(0);
  expect(sandbox.bucket.keys()).toEqual([]);
});

test("a fork has the named checkpoints until the one that it starts from, also when the origin is deleted", async () => {
  write("a", "1");
  const first = await named("first");
  write("a", "2");
  await automatic();
  write("a", "3");
  await named("second");
  write("a", "4");
  await named("later");
  const fork = unwrap(await sandbox.keeper.fork("second"));
  const other = sandboxUnderTest({ runner: host.runner, bucket: sandbox.bucket });
  other.keeper.adopt(checkpointActions.adopt.request.parse(JSON.parse(JSON.stringify(fork))));
  expect(other.keeper.list().checkpoints).toMatchObject([
    { name: null, kind: "automatic" },
    { name: "second", kind: "named" },
    { ...first, bytes: 0 },
  ]);
  await sandbox.keeper.deleteAll();
  host.renew();
  unwrap(await other.machine.up());
  expect(content("a")).toBe("3");
  unwrap(await other.keeper.restore("first"));
  expect(content("a")).toBe("1");
  unwrap(await other.keeper.deleteAll());
  expect(sandbox.bucket.keys()).toEqual([]);
});

test("a fork that an earlier version describes has no named checkpoints", async () => {
  write("a", "1");
  await named("first");
  const { named: _, ...fork } = unwrap(await sandbox.keeper.fork(null));
  const other = sandboxUnderTest({ runner: host.runner, bucket: sandbox.bucket });
  other.keeper.adopt(checkpointActions.adopt.request.parse(fork));
  expect(other.keeper.list().checkpoints).toHaveLength(1);
});

test("diff() compares with checkpoints of another sandbox, on either side", async () => {
  write("a", "1\n");
  const base = await automatic();
  const other = sandboxUnderTest({ runner: host.runner, bucket: sandbox.bucket });
  other.keeper.adopt(unwrap(await sandbox.keeper.fork(null)));
  host.renew();
  unwrap(await other.machine.up());
  write("b", "");
  const theirs = unwrap(await other.keeper.take("automatic", null));
  const own = unwrap(sandbox.keeper.describe(base.id));
  expect(unwrap(await other.keeper.diff({ from: base.id, to: null, path: null }, [own]))).toMatchObject({
    added: [join(host.workspace, "b")],
    changed_count: 0,
  });
  const known = unwrap(other.keeper.describe(theirs.id));
  expect(unwrap(await sandbox.keeper.diff({ from: base.id, to: theirs.id, path: null }, [known]))).toMatchObject({
    added_count: 1,
    removed_count: 0,
  });
  expect(await sandbox.keeper.diff({ from: base.id, to: theirs.id, path: null })).toMatchObject({
    failure: { reason: "not_found", name: theirs.id },
  });
});

test("unfork() takes back what fork() shared", async () => {
  write("a", "1");
  await automatic();
  await sandbox.keeper.unfork(unwrap(await sandbox.keeper.fork(null)));
  await sandbox.keeper.deleteAll();
  expect(layers()).toEqual([]);
});

test("delete() frees a layer once no checkpoint uses it", async () => {
  write("a", "1");
  const first = await automatic();
  const again = await named("again");
  expect(unwrap(await sandbox.keeper.delete(first.id)).freed_bytes).toBe(0);
  expect(unwrap(await sandbox.keeper.delete("again")).freed_bytes).toBe(first.bytes);
  expect([again.bytes, sandbox.bucket.keys()]).toEqual([0, []]);
  expect(await sandbox.keeper.delete("again")).toMatchObject({ failure: { reason: "not_found" } });
});

test("a named checkpoint is refused over the quota", async () => {
  const { checkpointIndex } = sandbox.stores;
  const bytes = limits.checkpointsQuotaBytes + 1;
  const row = { parent: null, key: "k", bytes, manifest_bytes: 1, sha256: "", shared: 0, mark: null };
  checkpointIndex.adopt({ id: "huge", ...row });
  expect(await sandbox.keeper.take("named", "x")).toMatchObject({
    failure: { reason: "checkpoints_full", used_bytes: bytes },
  });
});

test("an object store that is down fails a checkpoint with that reason, and the next one succeeds", async () => {
  write("a", "1");
  sandbox.bucket.isDown = true;
  const message = "its bytes could not be stored";
  expect(await sandbox.keeper.take("automatic", null)).toMatchObject({ failure: { message } });
  expect(sandbox.keeper.problem).toBe(message);
  sandbox.bucket.isDown = false;
  expect(await automatic()).toMatchObject({ files: 1 });
  expect(sandbox.keeper.problem).toBeNull();
  sandbox.bucket.isDown = true;
  expect(await sandbox.keeper.restore("nothing")).toMatchObject({ failure: { reason: "not_found" } });
  expect(await sandbox.keeper.diff({ from: (await automatic()).id, to: null, path: null })).toMatchObject({
    failure: { reason: "checkpoint_failed", message: "the storage of checkpoints did not answer" },
  });
});

test("a machine that goes away, or whose answer breaks the contract, fails a checkpoint", async () => {
  write("a", "1");
  sandbox.platform.isBroken = true;
  sandbox.platform.isRunning = false;
  expect(await sandbox.keeper.takeLast()).toMatchObject({ failure: { reason: "machine_restarted" } });
  sandbox.platform.isBroken = false;
  sandbox.platform.isRunning = true;
  vi.spyOn(sandbox.platform, "port").mockReturnValue({ fetch: async () => Response.json({ ok: true, value: {} }) });
  const invalid = { failure: { message: expect.stringContaining("an answer that is not valid") } };
  expect(await sandbox.keeper.takeLast()).toMatchObject(invalid);
});
