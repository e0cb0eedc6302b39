// The process calls of `sandbox`: list, read, write and signal, as the contract has them.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { ProcessSummary } from "../../contract/process.ts";
import { ProcessReadRequest } from "../../contract/process-read.ts";
import { ProcessSignalRequest, ProcessSignalResult } from "../../contract/process-signal.ts";
import { ProcessWriteRequest, ProcessWriteResult } from "../../contract/process-write.ts";
import { succeed } from "../../contract/result.ts";
import { ProcessValue, processValue } from "./process-value.ts";
import { defineMethod } from "./provider.ts";

const { process_id } = ProcessReadRequest.shape;

export const listProcesses = defineMethod({
  scope: "sandbox:exec",
  summary: "Every process that was started, newest first",
  input: z.strictObject({}),
  positional: [],
  output: z.array(ProcessSummary),
  async run(_, { sandbox }) {
    const { result } = await sandbox.call("process-list", {});
    return result.ok ? succeed(result.value.processes) : result;
  },
});

export const readProcess = defineMethod({
  scope: "sandbox:exec",
  summary: "State and output of a process; with until, after waiting up to wait_ms for more output or its end",
  input: z.strictObject({
    process_id,
    stdout_offset: ProcessReadRequest.shape.stdout_offset.unwrap().optional(),
    stderr_offset: ProcessReadRequest.shape.stderr_offset.unwrap().optional(),
    until: ProcessReadRequest.shape.until.unwrap().optional(),
    wait_ms: ProcessReadRequest.shape.wait_ms.optional(),
  }),
  positional: ["process_id"],
  output: ProcessValue.extend({ next_stdout: z.number(), next_stderr: z.number() }),
  async run(input, { sandbox, leftMs }) {
    const { result } = await sandbox.call("process-read", {
      process_id: input.process_id,
      stdout_offset: input.stdout_offset ?? null,
      stderr_offset: input.stderr_offset ?? null,
      until: input.until ?? null,
      wait_ms: input.until === undefined ? 0 : Math.max(0, Math.min(input.wait_ms ?? limits.waitDefaultMs, leftMs())),
      stream_chars: limits.captureHeadBytes + limits.captureTailBytes,
    });
    if (!result.ok) return result;
    const { next_stdout, next_stderr } = result.value;
    return succeed({ ...processValue(result.value), next_stdout, next_stderr });
  },
});

export const writeProcess = defineMethod({
  scope: "sandbox:exec",
  summary: "Writes to the standard input of a process started with background",
  input: z.strictObject({
    process_id,
    data: ProcessWriteRequest.shape.data.optional(),
    eof: z.boolean().optional().describe("close it afterwards"),
  }),
  positional: ["process_id", "data"],
  output: ProcessWriteResult,
  async run({ process_id, data, eof }, { sandbox }) {
    const { result } = await sandbox.call("process-write", { process_id, data: data ?? "", eof: eof ?? false });
    return result;
  },
});

export const signalProcess = defineMethod({
  scope: "sandbox:exec",
  summary: "Sends a signal to everything a process started; TERM when none is given",
  input: z.strictObject({ process_id, signal: ProcessSignalRequest.shape.signal.optional() }),
  positional: ["process_id", "signal"],
  output: ProcessSignalResult,
  async run({ process_id, signal }, { sandbox }) {
    const { result } = await sandbox.call("process-signal", {
      process_id,
      signal: signal ?? "TERM",
      killed_by: "process_signal",
      then_kill: false,
    });
    return result;
  },
});
