// process-list: every process that the runner has a record of, newest first.

import * as z from "zod";
import { answerList } from "./answer-list.ts";
import { ProcessSummary } from "./process.ts";

export const ProcessListRequest = z.object({});
export type ProcessListRequest = z.infer<typeof ProcessListRequest>;

export const ProcessListResult = z.object({
  processes: answerList(ProcessSummary),
  /** How many records of finished processes were dropped to stay within `limits.finishedProcessesMax`. */
  dropped: z.number().int(),
});
export type ProcessListResult = z.infer<typeof ProcessListResult>;
