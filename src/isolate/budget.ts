// What one run may still do: provider calls, calls at once, and bytes transferred. It is kept in the Worker, where code in
// the isolate cannot change it, and it also counts the calls for the outcome.

import type { Failure } from "../contract/failure.ts";
import { limits } from "../contract/limits.ts";
import type { ProviderCalls } from "./isolate.ts";

export interface BudgetRefusal {
  failure: Failure;
  message: string;
}

export class Budget {
  readonly #calls = new Map<string, ProviderCalls>();
  #made = 0;
  #active = 0;
  #bytes = 0;

  /** Counts a call that begins. Refused calls count too. */
  beginCall(): BudgetRefusal | null {
    this.#made += 1;
    this.#active += 1;
    if (this.#made > limits.runCallsMax) {
      return tooMany(
        "provider calls in one run",
        limits.runCallsMax,
        "Do more in each call, for example with sandbox.exec",
      );
    }
    if (this.#active > limits.runCallsAtOnce) {
      return tooMany("provider calls at once", limits.runCallsAtOnce, "Await some before making more");
    }
    return null;
  }

  endCall(): void {
    this.#active -= 1;
  }

  /** Counts `subject`, of `size` bytes, as transferred. A size of null means that it is not plain data. */
  addTransfer(subject: string, size: number | null): BudgetRefusal | null {
    if (size === null) {
      const message = `${subject} must be plain data: JSON values and Uint8Array`;
      return { failure: { reason: "invalid_request", message }, message };
    }
    this.#bytes += size;
    if (size > limits.runCallMaxBytes) return tooLarge(subject, size, limits.runCallMaxBytes);
    if (this.#bytes > limits.runMaxBytes)
      return tooLarge("All that this run sent and received", this.#bytes, limits.runMaxBytes);
    return null;
  }

  record(name: string, durationMs: number, hasFailed: boolean): void {
    const known = this.#calls.get(name) ?? { name, count: 0, failed: 0, totalMs: 0 };
    this.#calls.set(name, {
      name,
      count: known.count + 1,
      failed: known.failed + (hasFailed ? 1 : 0),
      totalMs: known.totalMs + durationMs,
    });
  }

  calls(): ProviderCalls[] {
    return [...this.#calls.values()];
  }
}

function tooMany(subject: string, limit: number, advice: string): BudgetRefusal {
  return {
    failure: { reason: "quota_exceeded", subject, limit },
    message: `There may be at most ${limit} ${subject}. ${advice}`,
  };
}

function tooLarge(subject: string, actual: number, limit: number): BudgetRefusal {
  return {
    failure: { reason: "too_large", subject, actual, limit, unit: "bytes" },
    message: `${subject}: ${actual} bytes, and the limit is ${limit}. Work on large data inside the machine, with sandbox.exec`,
  };
}
