// What to answer when the system cannot start a program for lack of something: which limit was reached, and what frees it.

import { readdirSync } from "node:fs";
import type { Failure } from "../../../src/contract/failure.ts";
import { readProcFile } from "../../proc/proc-file.ts";
import { errorCode } from "../file/error-code.ts";
import type { RunnerContext } from "../runner-context.ts";
import { describeLimits } from "./machine-limits.ts";

/** Null for any other error. */
export function resourceFailure(subject: string, error: unknown, context: RunnerContext): Failure | null {
  const code = errorCode(error);
  if (code === null || !(error instanceof Error) || !LACKS.has(code)) return null;
  const limit = code === "EMFILE" || code === "ENFILE" ? describeDescriptors(context) : describeLimits(context, 0);
  return { reason: "refused", subject, message: `${error.message}. ${limit ?? FREE_RESOURCES}` };
}

const LACKS: ReadonlySet<string> = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"]);

export const FREE_RESOURCES = "End processes that are no longer needed (process list shows them), then try again.";

function describeDescriptors({ registry }: RunnerContext): string {
  const limit = /^Max open files\s+(\d+)/m.exec(readProcFile("/proc/self/limits") ?? "")?.[1] ?? "?";
  return `The runner is at its limit of ${limit} open files${openFiles()}; ${registry.liveCount()} processes are alive, and each takes some for its input and output. ${FREE_RESOURCES}`;
}

function openFiles(): string {
  try {
    return ` (${readdirSync("/proc/self/fd").length} are open)`;
  } catch {
    // There is no descriptor left to read the directory with.
    return "";
  }
}
