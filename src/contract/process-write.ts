// process-write: sends input to a process whose stdin was kept open.

import * as z from "zod";
import { ProcessId, ProcessSummary } from "./process.ts";

export const ProcessWriteRequest = z.object({
  process_id: ProcessId,
  /** Sent verbatim, as UTF-8. */
  data: z.string(),
  /** Closes stdin afterwards; on a terminal, sends its end-of-file character. */
  eof: z.boolean(),
});
export type ProcessWriteRequest = z.infer<typeof ProcessWriteRequest>;

export const ProcessWriteResult = z.object({
  process: ProcessSummary,
  /** The length of `data` in bytes. All of it was accepted. */
  written_bytes: z.number().int(),
  /**
   * An upper bound of the bytes, of this and earlier input, that the program has not read within `limits.writeWaitMs`; 0
   * when it read everything. They remain queued, followed by the end of input if `eof` was set, and must not be sent again.
   */
  queued_bytes: z.number().int(),
});
export type ProcessWriteResult = z.infer<typeof ProcessWriteResult>;
