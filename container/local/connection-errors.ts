// The reasons for which workerd could not connect to a host. workerd gives a Worker only a reference, and writes the reason
// with the same reference to its log. network-worker.js looks the reason up here.

import { setTimeout } from "node:timers/promises";
import { faultOf } from "../../src/egress/fault.ts";

/** The log line is written before the lookup, but arrives through another pipe, possibly later. */
const LOOKUP_MS = 1_000;
/** References that are never looked up are dropped, oldest first, above this number. */
const REFERENCES_MAX = 1_000;

export class ConnectionErrors {
  readonly #reasons = new Map<string, PromiseWithResolvers<string>>();

  /** Takes an error from workerd's log. Returns false when it is not about a connection or its reason is not a known one. */
  take(message: string): boolean {
    const reference = /; wdErrId = (\w+)$/.exec(message)?.[1];
    const reason = /failed: (.*)$/m.exec(message)?.[1];
    if (reference === undefined || reason === undefined) return false;
    this.#entry(reference).resolve(reason);
    return faultOf(reason) !== "unknown";
  }

  /** Resolves with null when the log has no line with this reference. */
  async reasonOf(reference: string): Promise<string | null> {
    const late = setTimeout(LOOKUP_MS, null, { ref: false });
    const reason = await Promise.race([this.#entry(reference).promise, late]);
    this.#reasons.delete(reference);
    return reason;
  }

  #entry(reference: string): PromiseWithResolvers<string> {
    const entry = this.#reasons.get(reference) ?? Promise.withResolvers<string>();
    this.#reasons.set(reference, entry);
    const [oldest] = this.#reasons.keys();
    if (this.#reasons.size > REFERENCES_MAX && oldest !== undefined) this.#reasons.delete(oldest);
    return entry;
  }
}
