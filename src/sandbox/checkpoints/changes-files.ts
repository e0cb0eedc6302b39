// What an operation, or its answer, says about the files and processes of a machine.

import type { OperationName } from "../../contract/operation.ts";
import { ProcessSummary } from "../../contract/process.ts";
import type { Result } from "../../contract/result.ts";

/** Everything that is not known to only look. */
export const changesFiles = (operation: OperationName): boolean =>
  !/^(info|usage|search.*|process-(list|read)|file-(read|bytes|list|stat)|checkpoint-.*)$/.test(operation);

/** The processes that an answer tells of. */
export function processesIn(operation: OperationName, result: Result<unknown>): ProcessSummary[] {
  if (!result.ok || !["exec", "process-read"].includes(operation)) return [];
  const parsed = ProcessSummary.safeParse(result.value);
  return parsed.success && parsed.data.status !== "starting" ? [parsed.data] : [];
}
