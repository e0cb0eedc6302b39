// process-read: the state of a process and its output, from the start or from an offset, optionally after waiting for more.

import * as z from "zod";
import { limits } from "./limits.ts";
import { ProcessId, ProcessReport } from "./process.ts";

export const ProcessReadRequest = z.object({
  process_id: ProcessId,
  /**
   * Where to continue reading each stream, as an offset in raw bytes: `next_*` of the last answer. The answer then has the
   * first `stream_chars` of text after the offset. Null for the whole stream, shortened to its head and tail.
   */
  stdout_offset: z.number().int().min(0).nullable(),
  stderr_offset: z.number().int().min(0).nullable(),
  /** Waits for bytes after the offsets (after the current end if there are none) or for the exit; null does not wait. */
  until: z.enum(["output", "exit"]).nullable(),
  wait_ms: z.number().int().min(0).max(limits.waitMaxMs),
  stream_chars: z.number().int().min(0),
});
export type ProcessReadRequest = z.infer<typeof ProcessReadRequest>;

export const ProcessReadResult = ProcessReport.extend({
  /** The offset, in raw bytes, after the text of this answer. */
  next_stdout: z.number().int(),
  next_stderr: z.number().int(),
  /** Bytes between the requested offset and the first byte that is still stored; 0 unless the log was capped. */
  lost_stdout: z.number().int(),
  lost_stderr: z.number().int(),
});
export type ProcessReadResult = z.infer<typeof ProcessReadResult>;
