// Calls a Durable Object. A reset of the object during a call is foreseeable; an error thrown by its own code is a bug.

import { fail, type Result, succeed } from "../contract/result.ts";

/**
 * Makes one call. A call that is interrupted by a reset of the object is a failure: a deploy resets objects, and so does the
 * platform. The machine continues its work. An error from the object's own code is rethrown.
 */
export async function callObject<Value>(call: () => Promise<Value>): Promise<Result<Value>> {
  try {
    return succeed(await call());
  } catch (error) {
    if (isThrownByObject(error)) throw error;
    console.error("A call to a Durable Object was interrupted:", error);
    return interrupted;
  }
}

/**
 * The runtime sets `remote` on errors from the object's code, and `retryable` also on such an error that a lost connection
 * caused (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/).
 */
const isThrownByObject = (error: unknown): boolean =>
  error instanceof Error &&
  "remote" in error &&
  error.remote === true &&
  !("retryable" in error && error.retryable === true);

const interrupted = fail({
  reason: "machine_unavailable",
  message: "the sandbox was interrupted",
  retry_after_ms: 1_000,
});
