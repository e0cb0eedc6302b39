// Turns the faults that work on checkpoints has to expect into failures: a machine that goes away, an object store that does not
// answer, and work that takes too long. Any other error is a bug, and is thrown on.

import { limits } from "../../contract/limits.ts";
import { fail, type Result } from "../../contract/result.ts";
import { formatDuration } from "../../format/format-duration.ts";
import { RunnerUnreachable } from "../machine/runner-client.ts";
import { ObjectStoreFault } from "./layer-store.ts";

export async function asFailure<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
  try {
    return await work();
  } catch (error) {
    const message = messageOf(error);
    if (message === null) throw error;
    console.error(error);
    return fail({ reason: "checkpoint_failed", message });
  }
}

/** As asFailure(). Work that takes longer than the limit is not waited for, because it would hold up all checkpoints after it. */
export async function asFailureInTime<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
  const late = Promise.withResolvers<Result<never>>();
  const timer = setTimeout(() => late.resolve(tooLate), limits.checkpointMaxMs);
  try {
    return await Promise.race([asFailure(work), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function messageOf(error: unknown): string | null {
  if (error instanceof RunnerUnreachable) return "the machine went away";
  if (error instanceof ObjectStoreFault) return "the storage of checkpoints did not answer";
  return null;
}

const tooLate = fail({
  reason: "checkpoint_failed",
  message: `it took longer than ${formatDuration(limits.checkpointMaxMs)}`,
});
