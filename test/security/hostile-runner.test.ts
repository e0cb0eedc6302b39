// A runner that a command in the machine has stopped or replaced: whatever it answers, or does not, costs bounded time and memory, ends
// in a failure, and does not keep anybody from ending the machine.

import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "../../src/contract/limits.ts";
import { operationPath } from "../../src/contract/operation.ts";
import { FAILED_TRANSFER_STATUS, FILES_PATH } from "../../src/contract/transfer.ts";
import { Activity } from "../../src/sandbox/machine/activity.ts";
import { SandboxLifecycle } from "../../src/sandbox/sandbox-lifecycle.ts";
import { SandboxTransfers } from "../../src/sandbox/transfer/sandbox-transfers.ts";
import { unwrap } from "../runner/runner-under-test.ts";
import { FakePlatform } from "../sandbox/fake-platform.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { type Answer, endless, type HostileRunner, hostileRunner, INFO, json, silence } from "./hostile-runner.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockReturnValue();
  vi.stubGlobal("IdentityTransformStream", TransformStream);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A sandbox whose machine is up. */
async function sandboxOn(runner: HostileRunner) {
  const platform = new FakePlatform({ url: runner.url });
  const sandbox = sandboxUnderTest({ runner, platform });
  unwrap(await sandbox.machine.up());
  const activity = new Activity(platform);
  const { settings } = sandbox.stores;
  const lifetime = { sleepAfterMs: 60_000, longestAwakeMs: 600_000 };
  const lifecycle = new SandboxLifecycle({ ...sandbox, activity, settings, lifetime });
  return { ...sandbox, activity, lifecycle };
}

const LIST = operationPath("process-list");
const EXEC = operationPath("exec");

/** Lets time pass until the work is done. Resolves to its outcome, and how many milliseconds that took at most. */
async function overTime<Value>(work: Promise<Value>): Promise<{ outcome: Value; tookMs: number }> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  let tookMs = 0;
  for (; !isDone; tookMs += 500) {
    await vi.advanceTimersByTimeAsync(500);
    // What arrives over a connection takes some turns of the event loop.
    for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return { outcome: await work, tookMs };
}

const fakeTime = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

const zeros = "0,".repeat(600_000);
const withBody =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);

test.each<[title: string, answer: Answer]>([
  ["broken JSON", withBody('{"ok":true,')],
  ["no body", withBody("")],
  ["HTML", withBody("<p>no", { "content-type": "text/html" })],
  ["another value", json({ ok: true, value: { processes: "none" } })],
  ["a failure of no known kind", json({ ok: false, failure: { reason: "other" } })],
  ["an error status", withBody("{}", {}, 500)],
  ["a redirect", withBody("", { location: "http://192.0.2.1/" }, 302)],
  ["a switch of protocol", withBody("", { connection: "upgrade", upgrade: "websocket" }, 426)],
  [
    "compression",
    withBody(gzipSync('{"ok":true,"value":{"processes":[],"dropped":0}}'), { "content-encoding": "gzip" }),
  ],
  ["a bomb", withBody(gzipSync(Buffer.alloc(50_000_000, 32)), { "content-encoding": "gzip" })],
  ["endless text", endless(" ".repeat(65_536))],
  ["one endless line", endless('{"ok":true,"value":{"processes":["'.padEnd(65_536, "x"))],
  ["a million values", withBody(`{"ok":true,"value":{"processes":[${zeros}0]}}`)],
  ["deep nesting", withBody("[".repeat(1_000_000))],
  ["quotes and backslashes", withBody(`"${'\\"'.repeat(1_000_000)}`)],
])("an answer with %s is a failure", async (_, answer) => {
  await using runner = await hostileRunner(answer);
  const { machine } = await sandboxOn(runner);
  expect(await machine.ask("process-list", {})).toEqual({
    ok: false,
    failure: {
      reason: "machine_unavailable",
      message: expect.stringContaining("an answer that is not valid"),
      retry_after_ms: 1_000,
    },
  });
  expect(machine.isResponding).toBe(false);
});

test("a redirect is not followed", async () => {
  const visited = vi.fn();
  await using other = await hostileRunner(visited);
  await using runner = await hostileRunner(withBody("", { location: `${other.url}/stolen` }, 307));
  const { machine } = await sandboxOn(runner);
  await machine.ask("process-list", {});
  expect(visited).not.toHaveBeenCalled();
});

test("headers of any length are a failure", async () => {
  await using runner = await hostileRunner(withBody("{}", { "x-header": "x".repeat(1_000_000) }));
  const { machine } = await sandboxOn(runner);
  expect(await machine.ask("process-list", {})).toMatchObject({ ok: false });
});

test("an endless answer is read no further than its bound, and its connection is closed", async () => {
  let written = 0;
  const piece = Buffer.alloc(65_536, 32);
  await using runner = await hostileRunner((response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": "10",
      "transfer-encoding": "chunked",
    });
    const write = () => {
      while (!response.destroyed && response.write(piece)) written += piece.length;
    };
    response.on("drain", write);
    write();
  });
  const { machine } = await sandboxOn(runner);
  expect(await machine.ask("process-list", {})).toMatchObject({ ok: false });
  await runner.closed(LIST);
  // What is under way in the buffers of both sides comes to it.
  expect(written).toBeLessThan(limits.runnerFrameMaxBytes + 16 * 1024 * 1024);
});

const exec = (process_id: string) => ({
  ...{ process_id, command: "true", cwd: ".", repeatable: false, env: {}, stdin: null, stdin_open: false, pty: null },
  ...{ timeout_ms: null, wait_ms: limits.waitMaxMs, start_wait_ms: 0, stream_chars: 1_000 },
});

test("a command in a machine whose runner has stopped fails soon, whatever it waits for", async () => {
  await using runner = await hostileRunner(silence);
  const { execs } = await sandboxOn(runner);
  runner.answers[INFO] = silence;
  fakeTime();
  const work = execs.run(exec("p1"));
  await runner.requested(EXEC);
  const { outcome, tookMs } = await overTime(work);
  expect(outcome).toMatchObject({ failure: { message: expect.stringContaining("did not respond in time") } });
  expect(tookMs).toBeLessThanOrEqual(limits.runnerPulseMs + limits.runnerGraceMs + 5_000);
});

test("an answer that comes byte by byte, from a runner that responds, fails when its time is over", async () => {
  await using runner = await hostileRunner((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(timer));
  });
  const { machine } = await sandboxOn(runner);
  fakeTime();
  const work = machine.ask("process-list", {});
  await runner.requested(LIST);
  const { outcome, tookMs } = await overTime(work);
  expect(outcome).toMatchObject({ ok: false });
  expect(tookMs).toBeLessThanOrEqual(limits.processAnswerMaxMs + limits.runnerGraceMs + 5_000);
  vi.useRealTimers();
  await runner.closed(LIST);
});

test("stop ends a machine whose runner has stopped by force, and says so", async () => {
  await using runner = await hostileRunner(silence);
  const { lifecycle, platform, activity } = await sandboxOn(runner);
  runner.answers[INFO] = silence;
  fakeTime();
  activity.beginCall();
  const { outcome } = await overTime(lifecycle.stopForRequest());
  expect([outcome, platform.log.at(-1)]).toEqual([{ ok: true, value: { is_forced: true } }, "kill"]);
});

test("stop ends a machine by force when its runner stops while the files are stored", async () => {
  await using runner = await hostileRunner(silence);
  const { lifecycle, platform } = await sandboxOn(runner);
  fakeTime();
  const work = lifecycle.stopForRequest();
  await runner.requested(operationPath("process-list"));
  runner.answers[INFO] = silence;
  const { outcome, tookMs } = await overTime(work);
  expect([outcome, platform.log.at(-1)]).toEqual([{ ok: true, value: { is_forced: true } }, "kill"]);
  expect(tookMs).toBeLessThan(limits.checkpointMaxMs / 4);
});

test("stop leaves a machine up that answers but does not store its files", async () => {
  await using runner = await hostileRunner(json({ ok: false, failure: { reason: "cancelled" } }));
  const { lifecycle, platform } = await sandboxOn(runner);
  expect(await lifecycle.stopForRequest()).toMatchObject({ failure: { reason: "checkpoint_failed" } });
  expect(platform.isRunning).toBe(true);
});

test("a machine whose runner has stopped is destroyed, and is not put to sleep for another one", async () => {
  await using runner = await hostileRunner(silence);
  const { lifecycle, platform } = await sandboxOn(runner);
  runner.answers[INFO] = silence;
  fakeTime();
  const { outcome } = await overTime(lifecycle.sleepIfIdle({ despiteWork: false }));
  expect(outcome).toBe("busy");
  await overTime(lifecycle.kill());
  expect(platform.log.at(-1)).toBe("kill");
});

const CREATE = operationPath("checkpoint-create");
const HASH = "0".repeat(64);
const made = (archive: object | null, parent: string | null = null) =>
  json({ ok: true, value: { parent, archive, files: 1, added: 1, changed: 0, removed: 0 } });
const bytes =
  (length: number, headers: Record<string, string>): Answer =>
  (response) =>
    response.writeHead(200, { "content-type": "application/octet-stream", ...headers }).end(Buffer.alloc(length));

test.each<[title: string, created: Answer, archive: Answer]>([
  [
    "of more bytes than it has",
    made({ bytes: 100, manifest_bytes: 1, sha256: HASH }),
    bytes(10, { "content-length": "10" }),
  ],
  [
    "without a length",
    made({ bytes: 100, manifest_bytes: 1, sha256: HASH }),
    bytes(100, { "transfer-encoding": "chunked" }),
  ],
  ["with an endless body", made({ bytes: 100, manifest_bytes: 1, sha256: HASH }), endless("x")],
  ["with another hash", made({ bytes: 100, manifest_bytes: 1, sha256: HASH }), bytes(100, { "content-length": "100" })],
  ["larger than all may be", made({ bytes: 1e15, manifest_bytes: 1, sha256: HASH }), silence],
  ["based on a layer of somebody else", made(null, "another-layer"), silence],
  ["with a name for a hash", made({ bytes: 1, manifest_bytes: 1, sha256: "../x" }), silence],
])("a checkpoint %s is not stored", async (_, created, archive) => {
  await using runner = await hostileRunner(archive);
  const { keeper, bucket, stores, platform } = await sandboxOn(runner);
  runner.answers[CREATE] = created;
  expect(await keeper.take("automatic", null)).toMatchObject({ ok: false });
  expect([bucket.keys(), stores.checkpointIndex.list({ damaged: true })]).toEqual([[], []]);
  platform.isRunning = false;
});

test.each([
  ["that commands have used does not have a checkpoint passed over for good", false],
  ["that no command has used has it passed over", true],
])("a machine %s by calling its bytes damaged", async (_, isUntouched) => {
  const value = { damage: "it was changed on its way", trouble: "", stored_as: null };
  await using runner = await hostileRunner(json({ ok: true, value }));
  const { stores, machine, platform, bucket } = await sandboxOn(runner);
  const { checkpointIndex: index, record } = stores;
  await bucket.put("key", "x");
  index.adopt({ id: "l", parent: null, key: "key", bytes: 1, manifest_bytes: 1, sha256: HASH, shared: 0, mark: null });
  index.add({ ...checkpoint, id: "c", name: "mine", layer: "l" });
  // A new machine, or after a restart of the Worker one that says so.
  if (isUntouched) platform.isRunning = false;
  machine.clear();
  record.bootId = "before";
  expect(await machine.up()).toMatchObject({ ok: false });
  expect(index.newest()?.id ?? null).toBe(isUntouched ? null : "c");
  platform.isRunning = false;
});

const checkpoint = { kind: "named", created_at: 0, bytes: 1, files: 1, added: 1, changed: 0, removed: 0 } as const;

test("a reason of any length that the machine gives is shortened where it is kept", async () => {
  const message = "x".repeat(1_000_000);
  await using runner = await hostileRunner(json({ ok: false, failure: { reason: "checkpoint_failed", message } }));
  const { files, keeper, stores, platform } = await sandboxOn(runner);
  await files.store();
  expect(keeper.problem?.length).toBeLessThan(1_000);
  expect(JSON.stringify(stores.notices.due).length).toBeLessThan(10_000);
  platform.isRunning = false;
});

const put = { method: "PUT", path: "a", headers: {} } as const;
const get = { method: "GET", path: "a", headers: {} } as const;

test.each<[title: string, request: typeof put | typeof get, answer: Answer]>([
  ["a failure of no known kind", get, withBody('{"reason":"other"}', {}, FAILED_TRANSFER_STATUS)],
  ["an endless failure", get, endless(" ".repeat(65_536), {}, FAILED_TRANSFER_STATUS)],
  ["a redirect", get, withBody("", { location: "http://192.0.2.1/" }, 307)],
  ["an error", get, withBody("stack", {}, 500)],
  ["compression", get, withBody(gzipSync("x"), { "content-encoding": "gzip" })],
  ["a file for an upload", put, withBody("x")],
  ["no content", get, withBody("", {}, 205)],
])("a transfer that is answered with %s fails", async (_, request, answer) => {
  await using runner = await hostileRunner(answer);
  const { machine, files, activity, platform } = await sandboxOn(runner);
  const transfers = new SandboxTransfers({ machine, files, activity });
  const response = await transfers.run(request, request.method === "PUT" ? new Blob(["x"]).stream() : null);
  expect([response.status, await response.json()]).toMatchObject([422, { reason: "machine_unavailable" }]);
  await expect.poll(() => activity.callsInFlight).toBe(0);
  platform.isRunning = false;
});

test.each([get, put])("a $method breaks when the runner has stopped", async (request) => {
  await using runner = await hostileRunner((response) => {
    if (request.method === "GET") response.writeHead(200, { "content-length": "100" }).write("x");
  });
  const { machine, files, activity, platform } = await sandboxOn(runner);
  const transfers = new SandboxTransfers({ machine, files, activity });
  fakeTime();
  const work = transfers.run(request, request.method === "PUT" ? new Blob(["x"]).stream() : null);
  await runner.requested(FILES_PATH);
  runner.answers[INFO] = silence;
  const text = work.then((response) => response.text()).catch(() => "broken");
  const { outcome } = await overTime(text);
  expect(outcome).toMatch(request.method === "GET" ? /^broken$/ : /"machine_unavailable"/);
  vi.useRealTimers();
  await expect.poll(() => activity.callsInFlight).toBe(0);
  platform.isRunning = false;
});
