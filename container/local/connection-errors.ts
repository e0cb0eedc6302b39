// Why workerd could not make a connection. It gives the Worker a reference only, and writes the reason beside the same reference
// into its log. The Worker's network (network-worker.js) asks here by the reference.

import { setTimeout } from "node:timers/promises";
import { faultOf } from "../../src/egress/fault.ts";

/** The line was written before the question, but comes by another pipe. */
const LATE_MS = 1_000;
/** Most references are asked for at once; of those that never are, so many are kept. */
const KEPT_MAX = 1_000;

export class ConnectionErrors {
  readonly #reasons = new Map<string, PromiseWithResolvers<string>>();

  /** Takes an error from workerd's log. False where it is not about a connection, or gives no reason that is known. */
  take(message: string): boolean {
    const reference = /; wdErrId = (\w+)$/.exec(message)?.[1];
    const reason = /failed: (.*)$/m.exec(message)?.[1];
    if (reference === undefined || reason === undefined) return false;
    this.#entry(reference).resolve(reason);
    return faultOf(reason) !== "unknown";
  }

  /** Null when workerd has logged nothing of it. */
  async reasonOf(reference: string): Promise<string | null> {
    const late = setTimeout(LATE_MS, null, { ref: false });
    const reason = await Promise.race([this.#entry(reference).promise, late]);
    this.#reasons.delete(reference);
    return reason;
  }

  #entry(reference: string): PromiseWithResolvers<string> {
    const entry = this.#reasons.get(reference) ?? Promise.withResolvers<string>();
    this.#reasons.set(reference, entry);
    const [oldest] = this.#reasons.keys();
    if (this.#reasons.size > KEPT_MAX && oldest !== undefined) this.#reasons.delete(oldest);
    return entry;
  }
}
