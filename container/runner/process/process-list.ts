// process-list: every process that the runner has a record of, newest first.

import type { ProcessListRequest, ProcessListResult } from "../../../src/contract/process-list.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { summarizeProcess } from "./process-report.ts";

export function processList(_request: ProcessListRequest, { registry }: RunnerContext): Result<ProcessListResult> {
  registry.refreshLeftRunning();
  return succeed({ processes: registry.list().map(summarizeProcess), dropped: registry.dropped });
}
