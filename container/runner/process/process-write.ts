// process-write: sends input to a process that was started with an open stdin.

import { limits } from "../../../src/contract/limits.ts";
import type { ProcessWriteRequest, ProcessWriteResult } from "../../../src/contract/process-write.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import type { Process } from "./process.ts";
import { summarizeProcess } from "./process-report.ts";
import { END_OF_FILE } from "./terminal.ts";

export async function processWrite(
  request: ProcessWriteRequest,
  { registry }: RunnerContext,
): Promise<Result<ProcessWriteResult>> {
  const found = await registry.find(request.process_id);
  if (!found.ok) return found;
  const process = found.value;
  const { stdin, status } = process;
  if (stdin === null || !stdin.isOpen) return fail({ reason: "stdin_closed", process_id: process.id, status });
  const bytes = Buffer.byteLength(request.data);
  const pending = stdin.pendingBytes + bytes;
  if (pending > limits.stdinMaxBytes) {
    const subject = `The input that process "${process.id}" has not read yet`;
    return fail({ reason: "too_large", subject, actual: pending, limit: limits.stdinMaxBytes, unit: "bytes" });
  }
  const outcome = await stdin.write(inputOf(process, request), limits.writeWaitMs);
  if (request.eof && process.wrapper === null) stdin.end();
  if (outcome === "closed") return fail({ reason: "stdin_closed", process_id: process.id, status: process.status });
  return succeed({ process: summarizeProcess(process), written_bytes: bytes, queued_bytes: stdin.pendingBytes });
}

/** The end of input on a terminal is a character; the terminal itself stays open. */
const inputOf = (process: Process, { data, eof }: ProcessWriteRequest): string =>
  eof && process.wrapper !== null ? data + END_OF_FILE : data;
