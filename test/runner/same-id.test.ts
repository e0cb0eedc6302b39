// Calls with one id that come before its process has started: no connection is so quick, so the operations are called
// here as the server calls them.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMachine, type Machine } from "../../container/runner/machine.ts";
import { operate } from "../../container/runner/operations.ts";
import { readOptions } from "../../container/runner/options.ts";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../../src/contract/operation.ts";
import { resultOf } from "../../src/contract/result.ts";
import { newId, parseAs, plain, unwrap } from "./runner-under-test.ts";

let machine: Machine;
const root = mkdtempSync(join(tmpdir(), "runner-test-"));
beforeAll(() => {
  machine = createMachine(
    readOptions({ RUNNER_WORKSPACE: root, RUNNER_HOME: root, RUNNER_LOG_DIRECTORY: join(root, "log") }),
  );
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const call = async <Name extends OperationName>(name: Name, request: RequestOf<Name>): Promise<ValueOf<Name>> =>
  unwrap(parseAs(resultOf(operations[name].value), await operate(name, request, machine)));

test("exec() runs the command once when calls with its id come in the same tick", async () => {
  const request = plain("echo ran >>ran; cat ran");
  const values = await Promise.all(Array.from({ length: 4 }, () => call("exec", request)));
  expect(values.map((value) => [value.stdout.text, value.attached])).toEqual([
    ["ran\n", false],
    ...Array(3).fill(["ran\n", true]),
  ]);
  expect(readFileSync(join(root, "ran"), "utf8")).toBe("ran\n");
});

test("exec() runs another command of the id no more than the same one when they come in the same tick", async () => {
  const request = plain("echo one >>both");
  const results = await Promise.all([
    operate("exec", request, machine),
    operate("exec", { ...request, command: "echo two >>both" }, machine),
  ]);
  expect(results).toMatchObject([{ ok: true }, { ok: false, failure: { reason: "process_conflict" } }]);
  expect(readFileSync(join(root, "both"), "utf8")).toBe("one\n");
});

test("exec() starts what an earlier call could not when both come in the same tick", async () => {
  const request = plain("pwd");
  const results = await Promise.all([
    operate("exec", { ...request, cwd: "/nowhere" }, machine),
    operate("exec", request, machine),
  ]);
  expect(results).toMatchObject([{ ok: false }, { ok: true, value: { exit_code: 0, attached: false } }]);
});

test("process-read, -write and -signal find a process when it is just being started", async () => {
  const request = { ...plain("cat; sleep 60"), stdin_open: true };
  const { process_id } = request;
  const [, read, write, signal, ended] = await Promise.all([
    call("exec", { ...request, wait_ms: 0 }),
    call("process-read", {
      ...{ process_id, stdout_offset: null, stderr_offset: null, until: null, wait_ms: 0, stream_chars: 100 },
    }),
    call("process-write", { process_id, data: "x", eof: false }),
    call("process-signal", { process_id, signal: "KILL", killed_by: "cancel", then_kill: false }),
    call("exec", request),
  ]);
  expect([read.process_id, read.attached, write.written_bytes, signal.signalled > 0, ended.killed_by]).toEqual([
    process_id,
    false,
    1,
    true,
    "cancel",
  ]);
});

test("process-read attaches to nothing", async () => {
  const process_id = newId();
  await call("exec", { ...plain("true"), process_id });
  const read = { process_id, stdout_offset: null, stderr_offset: null, until: null, wait_ms: 0, stream_chars: 100 };
  expect((await call("process-read", read)).attached).toBe(false);
});
