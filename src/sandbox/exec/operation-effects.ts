// What an operation does to the files of a machine, and what its result says about processes.

import type { OperationName } from "../../contract/operation.ts";
import { ProcessSummary } from "../../contract/process.ts";
import type { Result } from "../../contract/result.ts";

/** True unless the operation is known only to read. */
export const mayChangeFiles = (operation: OperationName): boolean =>
  !/^(info|usage|search.*|process-(list|read)|file-(read|bytes|list|stat)|checkpoint-.*)$/.test(operation);

/** The processes that the result of an operation describes. */
export function processesIn(operation: OperationName, result: Result<unknown>): ProcessSummary[] {
  if (!result.ok || !["exec", "process-read"].includes(operation)) return [];
  const parsed = ProcessSummary.safeParse(result.value);
  return parsed.success && parsed.data.status !== "starting" ? [parsed.data] : [];
}
