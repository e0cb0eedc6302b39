// sandbox.listProcesses, readProcess, writeProcess and signalProcess, through the process operations.

import * as z from "zod";
import { ProcessSummary } from "../../contract/process.ts";
import { ProcessReadRequest } from "../../contract/process-read.ts";
import { ProcessSignalRequest, ProcessSignalResult } from "../../contract/process-signal.ts";
import { ProcessWriteRequest, ProcessWriteResult } from "../../contract/process-write.ts";
import { succeed } from "../../contract/result.ts";
import { resolveProcessRead } from "../../operations/process-read.ts";
import { resolveProcessSignal } from "../../operations/process-signal.ts";
import { resolveProcessWrite } from "../../operations/process-write.ts";
import { ProcessValue, STREAM_CHARS, toProcessValue } from "./process-value.ts";
import { defineMethod } from "./provider.ts";

const { process_id } = ProcessReadRequest.shape;

export const listProcesses = defineMethod({
  scope: "sandbox:exec",
  summary: "Every process that was started, newest first",
  input: z.strictObject({}),
  positional: [],
  output: z.array(ProcessSummary),
  async run(_, run) {
    const result = await run.call("process-list", {});
    return result.ok ? succeed(result.value.processes) : result;
  },
});

export const readProcess = defineMethod({
  scope: "sandbox:exec",
  summary: "State and output of a process; with until, waits up to wait_ms for more output or its end",
  input: z.strictObject({
    process_id,
    stdout_offset: ProcessReadRequest.shape.stdout_offset.unwrap().optional(),
    stderr_offset: ProcessReadRequest.shape.stderr_offset.unwrap().optional(),
    until: ProcessReadRequest.shape.until.unwrap().optional(),
    wait_ms: ProcessReadRequest.shape.wait_ms.optional(),
  }),
  positional: ["process_id"],
  output: ProcessValue.extend({ next_stdout: z.number(), next_stderr: z.number() }),
  async run(input, run) {
    const options = { maxWaitMs: run.remainingMs(), streamChars: STREAM_CHARS };
    const result = await run.call("process-read", resolveProcessRead(input, options));
    if (!result.ok) return result;
    const { next_stdout, next_stderr } = result.value;
    const value = await toProcessValue(result.value, run);
    return value.ok ? succeed({ ...value.value, next_stdout, next_stderr }) : value;
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
  async run(input, run) {
    const request = resolveProcessWrite(input);
    return request.ok ? run.call("process-write", request.value) : request;
  },
});

export const signalProcess = defineMethod({
  scope: "sandbox:exec",
  summary: "Sends a signal to everything a process started; TERM by default",
  input: z.strictObject({ process_id, signal: ProcessSignalRequest.shape.signal.optional() }),
  positional: ["process_id", "signal"],
  output: ProcessSignalResult,
  run: (input, run) => run.call("process-signal", resolveProcessSignal(input)),
});
