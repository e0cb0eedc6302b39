// Calls with one process id that arrive before the process has started.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import type { OperationName, RequestOf } from "../../../src/contract/operation.ts";
import { newId, plain } from "../runner-under-test.ts";

const ONE_TICK = fileURLToPath(new URL("./one-tick.ts", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "runner-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Call = { [Name in OperationName]: [Name, RequestOf<Name>] }[OperationName];

/** Carries out the calls in a new runner, and returns their results. */
async function inOneTick(...calls: Call[]): Promise<unknown> {
  const child = spawn(process.execPath, [ONE_TICK], {
    env: {
      PATH: process.env["PATH"],
      RUNNER_WORKSPACE: root,
      RUNNER_HOME: root,
      RUNNER_LOG_DIRECTORY: join(root, "log"),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(calls));
  return json(child.stdout);
}

const read = { stdout_offset: null, stderr_offset: null, until: null, wait_ms: 0, stream_chars: 100 };
const signal = { signal: "KILL", killed_by: "cancel", then_kill: false } as const;
const ran = (text: string, attached: boolean) => ({ ok: true, value: { stdout: { text }, attached } });

test("exec() runs the command once when calls with its id arrive in the same tick", async () => {
  const request = plain("echo ran >>ran; cat ran");
  expect(await inOneTick(["exec", request], ["exec", request], ["exec", request])).toMatchObject([
    ran("ran\n", false),
    ran("ran\n", true),
    ran("ran\n", true),
  ]);
});

test("exec() refuses another command with the id when both arrive in the same tick", async () => {
  const request = plain("echo one >>both");
  const results = await inOneTick(["exec", request], ["exec", { ...request, command: "echo two >>both" }]);
  expect(results).toMatchObject([{ ok: true }, { ok: false, failure: { reason: "process_conflict" } }]);
  expect(readFileSync(join(root, "both"), "utf8")).toBe("one\n");
});

test("exec() starts the command that an earlier call could not start when both arrive in the same tick", async () => {
  const request = plain("echo here");
  const results = await inOneTick(["exec", { ...request, cwd: "/nowhere" }], ["exec", request]);
  expect(results).toMatchObject([{ ok: false, failure: { kind: "cwd" } }, ran("here\n", false)]);
});

test("process-read, -write and -signal find a process when it is just being started", async () => {
  const process_id = newId();
  const request = { ...plain("cat; sleep 60"), process_id, stdin_open: true };
  const results = await inOneTick(
    ["exec", request],
    ["process-read", { ...read, process_id }],
    ["process-write", { process_id, data: "x", eof: false }],
    ["process-signal", { ...signal, process_id }],
  );
  expect(results).toMatchObject([
    { ok: true, value: { killed_by: "cancel" } },
    { ok: true, value: { process_id, attached: false } },
    { ok: true, value: { written_bytes: 1 } },
    { ok: true, value: { signalled: expect.any(Number) } },
  ]);
});
