// Why workerd could not make a connection: it hands the Worker a reference, and writes the reason beside the same reference
// into its log. The Worker asks here by the reference (src/egress/lookup-fault.ts).

import { setTimeout } from "node:timers/promises";
import type { Fault } from "../../src/egress/fault.ts";

/** The line was written before the Worker could ask, but another process may be slow to hand it on. */
const LATE_MS = 1_000;
/** Of older ones nobody asked. */
const KEPT_MAX = 1_000;

const reasons: readonly (readonly [RegExp, Fault])[] = [
  [/failed: connecting to \S+ is not allowed$/m, "restricted"],
  [/failed: failed to lookup address information/, "no-name"],
  [/failed: TLS handshake failed/, "no-trust"],
];

export class RuntimeFaults {
  readonly #known = new Map<string, PromiseWithResolvers<Fault>>();

  /** Takes an error of workerd's log; false where it is none of a connection. */
  take(message: string): boolean {
    const reference = /; wdErrId = (\w+)$/.exec(message)?.[1];
    if (reference === undefined) return false;
    const [, fault = "unknown"] = reasons.find(([pattern]) => pattern.test(message)) ?? [];
    this.#entry(reference).resolve(fault);
    return fault !== "unknown";
  }

  async of(reference: string): Promise<Fault> {
    const late = setTimeout<Fault>(LATE_MS, "unknown", { ref: false });
    const fault = await Promise.race([this.#entry(reference).promise, late]);
    this.#known.delete(reference);
    return fault;
  }

  #entry(reference: string): PromiseWithResolvers<Fault> {
    const entry = this.#known.get(reference) ?? Promise.withResolvers<Fault>();
    this.#known.set(reference, entry);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT_MAX && oldest !== undefined) this.#known.delete(oldest);
    return entry;
  }
}
