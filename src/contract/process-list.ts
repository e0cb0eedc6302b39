// process-list: every process the runner knows, newest first.

import * as z from "zod";
import { ProcessSummary } from "./process.ts";

export const ProcessListRequest = z.object({});
export type ProcessListRequest = z.infer<typeof ProcessListRequest>;

export const ProcessListResult = z.object({
  processes: z.array(ProcessSummary),
  /** Finished ones dropped to stay under `limits.finishedProcessesMax`. */
  dropped: z.number().int(),
});
export type ProcessListResult = z.infer<typeof ProcessListResult>;
