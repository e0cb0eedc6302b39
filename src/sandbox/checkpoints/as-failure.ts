// Turns the foreseeable faults of work on checkpoints into failures: the machine ends, the object store does not respond, or the
// work takes too long. Any other error is a bug and is rethrown.

import { limits } from "../../contract/limits.ts";
import { fail, type Result } from "../../contract/result.ts";
import { formatDuration } from "../../format/format-duration.ts";
import { RunnerFault, type RunnerFaultKind } from "../machine/runner-fault.ts";
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

/**
 * Like asFailure(), but stops waiting for work that takes longer than the limit, because it would block all later checkpoints.
 */
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
  if (error instanceof RunnerFault) return faultMessages[error.kind];
  if (error instanceof ObjectStoreFault) return "the storage of checkpoints did not answer";
  return null;
}

const faultMessages: Record<RunnerFaultKind, string> = {
  lost: "the machine went away",
  late: "the machine did not answer in time",
  invalid: "the machine gave an answer that is not valid",
};

const tooLate = fail({
  reason: "checkpoint_failed",
  message: `it took longer than ${formatDuration(limits.checkpointMaxMs)}`,
});
