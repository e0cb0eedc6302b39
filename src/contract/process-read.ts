// process-read: the state of a process, and its output whole or from an offset, after waiting for news.

import * as z from "zod";
import { limits } from "./limits.ts";
import { ProcessId, ProcessReport } from "./process.ts";

export const ProcessReadRequest = z.object({
  process_id: ProcessId,
  /**
   * Raw byte offsets to read each stream on from; `next_*` of the last answer. Null for the stream from its start, head and
   * tail. With an offset, the oldest `stream_chars` of text from there on are answered, and `next_*` says where to go on.
   */
  stdout_offset: z.number().int().min(0).nullable(),
  stderr_offset: z.number().int().min(0).nullable(),
  /** Wait until there are bytes past the offsets (past now, where none is given), until the end, or not at all. */
  until: z.enum(["output", "exit"]).nullable(),
  wait_ms: z.number().int().min(0).max(limits.waitMaxMs),
  stream_chars: z.number().int().min(0),
});
export type ProcessReadRequest = z.infer<typeof ProcessReadRequest>;

export const ProcessReadResult = ProcessReport.extend({
  /** Raw byte offsets after the text that was answered. */
  next_stdout: z.number().int(),
  next_stderr: z.number().int(),
  /** Bytes between the offset asked for and the first byte still kept; 0 unless the log was capped. */
  lost_stdout: z.number().int(),
  lost_stderr: z.number().int(),
});
export type ProcessReadResult = z.infer<typeof ProcessReadResult>;
