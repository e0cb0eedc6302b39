// Calls a Durable Object. That the object goes away during a call is foreseeable; an error that its own code throws is a bug.

import { fail, type Result, succeed } from "../contract/result.ts";

/**
 * Makes one call. A call that a reset of the object breaks off is a failure: a deploy resets objects, and so does the platform.
 * What the machine was doing goes on. An error from the object's own code is thrown on.
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
