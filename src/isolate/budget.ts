// What one run may still do: provider calls, how many at once, and the bytes that cross. Kept in the Worker, where code in the
// isolate cannot get at it, and where also what was called is counted.

import type { Failure } from "../contract/failure.ts";
import { limits } from "../contract/limits.ts";
import type { ProviderCalls } from "./isolate.ts";

export interface Refusal {
  failure: Failure;
  message: string;
}

export class Budget {
  readonly #calls = new Map<string, ProviderCalls>();
  #made = 0;
  #active = 0;
  #bytes = 0;

  /** Counts a call that begins; every call, those that are refused too. */
  enter(): Refusal | null {
    this.#made += 1;
    this.#active += 1;
    if (this.#made > limits.runCallsMax) {
      return over(
        "provider calls in one run",
        limits.runCallsMax,
        "Do more in each call, for example with sandbox.exec",
      );
    }
    if (this.#active > limits.runCallsAtOnce) {
      return over("provider calls at once", limits.runCallsAtOnce, "Await some before making more");
    }
    return null;
  }

  leave(): void {
    this.#active -= 1;
  }

  /** Counts what crosses; `size` is null where it is not plain data. */
  cross(what: string, size: number | null): Refusal | null {
    if (size === null) {
      const message = `${what} must be plain data: JSON values and Uint8Array`;
      return { failure: { reason: "invalid_request", message }, message };
    }
    this.#bytes += size;
    if (size > limits.runCallMaxBytes) return tooLarge(what, size, limits.runCallMaxBytes);
    if (this.#bytes > limits.runMaxBytes)
      return tooLarge("All that this run sent and received", this.#bytes, limits.runMaxBytes);
    return null;
  }

  record(name: string, durationMs: number, failed: boolean): void {
    const known = this.#calls.get(name) ?? { name, count: 0, failed: 0, totalMs: 0 };
    this.#calls.set(name, {
      name,
      count: known.count + 1,
      failed: known.failed + (failed ? 1 : 0),
      totalMs: known.totalMs + durationMs,
    });
  }

  calls(): ProviderCalls[] {
    return [...this.#calls.values()];
  }
}

function over(subject: string, limit: number, advice: string): Refusal {
  return {
    failure: { reason: "quota_exceeded", subject, limit },
    message: `There may be at most ${limit} ${subject}. ${advice}`,
  };
}

function tooLarge(subject: string, actual: number, limit: number): Refusal {
  return {
    failure: { reason: "too_large", subject, actual, limit, unit: "bytes" },
    message: `${subject}: ${actual} bytes, and the limit is ${limit}. Work on large data inside the machine, with sandbox.exec`,
  };
}
