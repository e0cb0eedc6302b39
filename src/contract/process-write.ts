// process-write: input for a process whose stdin was left open.

import * as z from "zod";
import { ProcessId, ProcessSummary } from "./process.ts";

export const ProcessWriteRequest = z.object({
  process_id: ProcessId,
  /** Verbatim, UTF-8. */
  data: z.string(),
  /** Close stdin afterwards (on a terminal: send its end-of-file character). */
  eof: z.boolean(),
});
export type ProcessWriteRequest = z.infer<typeof ProcessWriteRequest>;

export const ProcessWriteResult = z.object({
  process: ProcessSummary,
  /** Bytes of `data`, all of which were taken. */
  written_bytes: z.number().int(),
  /**
   * Bytes of this and of earlier input that still wait, at most, when the program has not read for `limits.writeWaitMs`. It
   * gets them, and then the end if `eof` was set, as it reads on: they are not to be sent again. 0 when none wait.
   */
  queued_bytes: z.number().int(),
});
export type ProcessWriteResult = z.infer<typeof ProcessWriteResult>;
