// A script that could not be started: the machine is at its limit of processes, open files or memory.

import { fail, type Result } from "../../../src/contract/result.ts";
import { errorCode } from "../file/error-code.ts";

export class ScriptNotStarted extends Error {
  override name = "ScriptNotStarted";
}

/** Turns ScriptNotStarted into a failure, which says what to do; rethrows any other error. */
export async function unlessNotStarted<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ScriptNotStarted)) throw error;
    const message = `the machine cannot start another program (${errorCode(error.cause) ?? "unknown reason"}); end processes that are not needed`;
    return fail({ reason: "checkpoint_failed", message });
  }
}
