// process-list: every process the runner knows, newest first.

import type { ProcessListRequest, ProcessListResult } from "../../../src/contract/process-list.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { Machine } from "../runner-context.ts";
import { summary } from "./process-report.ts";

export function processList(_request: ProcessListRequest, { registry }: Machine): Result<ProcessListResult> {
  registry.refresh();
  return succeed({ processes: registry.list().map(summary), dropped: registry.dropped });
}
