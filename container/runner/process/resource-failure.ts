// What to answer when the system cannot start a program for lack of something: which limit was reached, and what frees it.

import { readdirSync } from "node:fs";
import type { Failure } from "../../../src/contract/failure.ts";
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

/**
 * Keeps some descriptors for other operations. The kernel gives the lowest free number: `descriptor`, which is a new one, says
 * whether it can be worth counting them.
 */
export function descriptorFailure(subject: string, descriptor: number, context: RunnerContext): Failure | null {
  const limit = context.descriptorsMax;
  if (limit === null || descriptor < limit / 2) return null;
  const reserved = Math.min(DESCRIPTORS_RESERVED, limit / 8);
  const expected = BASE_DESCRIPTORS + context.registry.unsettledCount * COMMAND_DESCRIPTORS;
  if (Math.max(readdirSync("/proc/self/fd").length, expected) < limit - reserved) return null;
  return { reason: "refused", subject, message: describeDescriptors(context) };
}

/** Two pipes, two logs, which are opened with the first output, and its input. */
const COMMAND_DESCRIPTORS = 5;

/** What the runner has open from its start on, most of it pipes that it keeps ready. */
const BASE_DESCRIPTORS = 96;

/** For the files, programs and connections of some dozens of other operations. */
const DESCRIPTORS_RESERVED = 64;

const LACKS: ReadonlySet<string> = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"]);

export const FREE_RESOURCES = "End processes that are no longer needed (process list shows them), then try again.";

function describeDescriptors({ registry, descriptorsMax }: RunnerContext): string {
  return `The runner is at its limit of ${descriptorsMax ?? "some"} open files${openFiles()}; ${registry.liveCount()} processes are alive, and each takes some for its input and output. ${FREE_RESOURCES}`;
}

function openFiles(): string {
  try {
    return ` (${readdirSync("/proc/self/fd").length} are open)`;
  } catch {
    // There is no descriptor left to read the directory with.
    return "";
  }
}
