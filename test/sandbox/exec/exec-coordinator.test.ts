// Commands on their way to a machine that is not up yet, is up, or was replaced: on a real runner.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { ExecRequest } from "../../../src/contract/exec.ts";
import { newId, type RunnerUnderTest, startRunner } from "../../runner/runner-under-test.ts";
import { type SandboxUnderTest, sandboxUnderTest } from "../sandbox-under-test.ts";

let runner: RunnerUnderTest;
let sandbox: SandboxUnderTest;
/** The process id, and the working directory, of the test. */
let job: string;
let directory: string;
beforeAll(async () => {
  runner = await startRunner();
});
beforeEach(() => {
  vi.spyOn(console, "error").mockReturnValue();
  vi.spyOn(console, "warn").mockReturnValue();
  job = newId();
  directory = mkdtempSync(join(runner.workspace, "exec-"));
  sandbox = sandboxUnderTest({ runner });
});
afterEach(() => {
  vi.restoreAllMocks();
  // Ends the watch for the end of the machine.
  sandbox.platform.isRunning = false;
});
afterAll(async () => {
  // Asked to end, it would wait for a last checkpoint.
  runner.child.kill("SIGKILL");
  await runner.stop();
});

/** Runs a command beside the sandbox. */
const shell = async (command: string): Promise<string> =>
  (await runner.exec(command, { process_id: newId(), cwd: directory })).stdout.text;

const request = (command: string, options: Partial<ExecRequest> = {}): ExecRequest => ({
  process_id: job,
  repeatable: true,
  command,
  cwd: directory,
  env: {},
  stdin: null,
  stdin_open: false,
  timeout_ms: 60_000,
  wait_ms: 20_000,
  start_wait_ms: 20_000,
  pty: null,
  stream_chars: 10_000,
  ...options,
});

const read = (options: { wait_ms?: number; until?: "exit" | null } = {}) =>
  sandbox.execs.answerOffline("process-read", {
    ...{ process_id: job, stdout_offset: null, stderr_offset: null, until: null, wait_ms: 0, stream_chars: 100 },
    ...options,
  });

/** Holds the start of the machine back until the returned function is called. */
function holdStart(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  sandbox.platform.startsAfter = promise;
  return resolve;
}

test("run() starts a machine and answers the result", async () => {
  const result = await sandbox.execs.run(request("echo hi"));
  expect(result).toMatchObject({ ok: true, value: { status: "exited", exit_code: 0, stdout: { text: "hi\n" } } });
  expect([sandbox.platform.log, sandbox.execs.hasPending]).toEqual([["start"], false]);
});

test("run() answers starting after the wait, and the command runs when the machine is up", async () => {
  const release = holdStart();
  const first = await sandbox.execs.run(request("echo hi > ran", { wait_ms: 0, start_wait_ms: 0 }));
  expect(first).toMatchObject({ ok: true, value: { status: "starting", process_id: job } });
  expect(sandbox.execs.hasPending).toBe(true);
  expect(await sandbox.execs.answerOffline("process-list", {})).toMatchObject({
    value: { processes: [{ process_id: job, status: "starting" }] },
  });
  expect(await read()).toMatchObject({ ok: true, value: { status: "starting", next_stdout: 0 } });
  release();
  await sandbox.platform.settled();
  expect(sandbox.execs.hasPending).toBe(false);
  expect(await shell("cat ran")).toBe("hi\n");
});

test("run() twice with one id runs the command once, also while the machine starts", async () => {
  const release = holdStart();
  const calls = [1, 2].map(() => sandbox.execs.run(request("echo ran >> runs; cat runs")));
  await expect.poll(() => sandbox.platform.log).toEqual(["start"]);
  release();
  const results = await Promise.all(calls);
  expect(results).toMatchObject([{ value: { stdout: { text: "ran\n" } } }, { value: { stdout: { text: "ran\n" } } }]);
  expect(results.map((result) => result.ok && result.value.attached).toSorted()).toEqual([false, true]);
  expect(await sandbox.execs.run(request("echo ran >> runs; cat runs"))).toMatchObject({ value: { attached: true } });
});

test("run() refuses an id that another command has", async () => {
  await sandbox.execs.run(request("true"));
  expect(await sandbox.execs.run(request("false"))).toEqual({
    ok: false,
    failure: { reason: "process_conflict", process_id: job },
  });
});

test("run() leaves the id free when the runner refuses the command", async () => {
  expect(await sandbox.execs.run(request("pwd", { cwd: "/nope" }))).toMatchObject({ ok: false });
  expect(sandbox.stores.ledger.find(job)).toBeNull();
  expect(await sandbox.execs.run(request("true"))).toMatchObject({ ok: true, value: { exit_code: 0 } });
});

test("run() says that a command of an earlier machine was lost, and does not run it again", async () => {
  await sandbox.execs.run(request("echo ran >> runs"));
  sandbox.stores.ledger.setBoot(job, "an-earlier-machine");
  const lost = { ok: false, failure: { reason: "machine_restarted", process_id: job } };
  expect(await sandbox.execs.run(request("echo ran >> runs"))).toEqual(lost);
  sandbox.platform.isRunning = false;
  expect([await sandbox.execs.run(request("echo ran >> runs")), await read()]).toEqual([lost, lost]);
  expect(await shell("cat runs")).toBe("ran\n");
});

test("a machine that never comes fails a waiting command, and the next read says why, once", async () => {
  const failing = sandboxUnderTest({ runner });
  failing.platform.startsAfter = Promise.reject(new Error("no image"));
  failing.platform.startsAfter.catch(() => undefined);
  sandbox = failing;
  const first = await sandbox.execs.run(request("true", { wait_ms: 0, start_wait_ms: 0 }));
  if (first.ok) {
    expect(first.value.status).toBe("starting");
    await sandbox.platform.settled();
    expect(await read()).toMatchObject({ failure: { reason: "machine_unavailable", message: "it did not start" } });
  } else expect(first.failure).toMatchObject({ reason: "machine_unavailable", message: "it did not start" });
  expect(await read()).toMatchObject({ failure: { reason: "not_found", kind: "process", name: job } });
  expect(sandbox.stores.ledger.find(job)).toBeNull();
});

test("a signal that ends, and cancelPending(), keep a waiting command from running", async () => {
  const release = holdStart();
  const signalled = sandbox.execs.run(request("echo ran > ran"));
  await expect.poll(() => sandbox.platform.log).toEqual(["start"]);
  const signal = (name: "USR1" | "TERM") =>
    sandbox.execs.answerOffline("process-signal", {
      ...{ process_id: job, signal: name, killed_by: "process_signal", then_kill: false },
    });
  expect(await signal("USR1")).toMatchObject({ value: { process: { status: "starting" }, signalled: 0 } });
  expect(await signal("TERM")).toMatchObject({ value: { process: { status: "exited", exit_code: 143 } } });
  const cancelled = sandbox.execs.run(request("echo ran > ran", { process_id: `${job}-second` }));
  await expect.poll(() => sandbox.stores.ledger.find(`${job}-second`)).not.toBeNull();
  sandbox.execs.cancelPending();
  release();
  const failure = { ok: false, failure: { reason: "cancelled" } };
  expect(await Promise.all([signalled, cancelled])).toEqual([failure, failure]);
  expect(await shell("ls")).not.toContain("ran");
});

test("askAbout() waits for a command that is in transit, and says of an unknown process that it was lost", async () => {
  await sandbox.machine.up();
  const run = sandbox.execs.run(request("sleep 0.3; echo done", { repeatable: false }));
  const asked = sandbox.execs.askAbout(job, "process-read", {
    ...{ process_id: job, stdout_offset: null, stderr_offset: null, stream_chars: 100 },
    ...{ until: "exit", wait_ms: 10_000 },
  });
  expect(await asked).toMatchObject({ ok: true, value: { status: "exited", stdout: { text: "done\n" } } });
  await run;
  const unknown = { process_id: "gone", signal: "TERM", killed_by: "process_signal", then_kill: false } as const;
  expect(await sandbox.execs.askAbout("gone", "process-signal", unknown)).toMatchObject({
    failure: { reason: "not_found" },
  });
  sandbox.stores.ledger.add("gone", "-");
  sandbox.stores.ledger.setBoot("gone", "an-earlier-machine");
  expect(await sandbox.execs.askAbout("gone", "process-signal", unknown)).toEqual({
    ok: false,
    failure: { reason: "machine_restarted", process_id: "gone" },
  });
});

test("a process of the server that outlives its call is recorded, so that its loss can be told", async () => {
  await sandbox.execs.run(request("sleep 100", { process_id: `${job}-p1`, repeatable: false, wait_ms: 0 }));
  expect(sandbox.stores.ledger.find(`${job}-p1`)).toEqual({ fingerprint: "-", bootId: sandbox.machine.bootId });
  await sandbox.execs.run(request("true", { process_id: `${job}-p2`, repeatable: false }));
  expect(sandbox.stores.ledger.find(`${job}-p2`)).toBeNull();
});
