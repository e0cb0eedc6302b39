// process-write: input for a process whose stdin was left open.

import { limits } from "../../../src/contract/limits.ts";
import type { ProcessWriteRequest, ProcessWriteResult } from "../../../src/contract/process-write.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { Machine } from "../runner-context.ts";
import type { Process } from "./process.ts";
import { summary } from "./process-report.ts";
import { END_OF_FILE } from "./terminal.ts";

export async function processWrite(
  request: ProcessWriteRequest,
  { registry }: Machine,
): Promise<Result<ProcessWriteResult>> {
  const found = await registry.find(request.process_id);
  if (!found.ok) return found;
  const process = found.value;
  const { input, status } = process;
  if (input === null || !input.open) return fail({ reason: "stdin_closed", process_id: process.id, status });
  const bytes = Buffer.byteLength(request.data);
  const pending = input.pendingBytes + bytes;
  if (pending > limits.stdinMaxBytes) {
    const subject = `Input that process "${process.id}" has not read`;
    return fail({ reason: "too_large", subject, actual: pending, limit: limits.stdinMaxBytes, unit: "bytes" });
  }
  const written = await input.write(inputOf(process, request), limits.writeWaitMs);
  if (request.eof && process.wrapper === null) input.end();
  if (written === "closed") return fail({ reason: "stdin_closed", process_id: process.id, status: process.status });
  return succeed({ process: summary(process), written_bytes: bytes, queued_bytes: input.pendingBytes });
}

/** A terminal stays open: its end of file is a character. */
const inputOf = (process: Process, { data, eof }: ProcessWriteRequest): string =>
  eof && process.wrapper !== null ? data + END_OF_FILE : data;
