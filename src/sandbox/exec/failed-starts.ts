// Keeps why commands that returned `starting` never ran, until a later call asks about them. Each reason is returned once.

import type { Failure } from "../../contract/failure.ts";
import type { Result } from "../../contract/result.ts";

const FAILURES_MAX = 100;

export class FailedStarts {
  readonly #failures = new Map<string, Failure>();

  /** Ignores the outcome of a command that ran. */
  add(processId: string, outcome: Result<unknown>): void {
    if (outcome.ok) return;
    this.#failures.set(processId, outcome.failure);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > FAILURES_MAX && oldest !== undefined) this.#failures.delete(oldest);
  }

  take(processId: string): Failure | null {
    const failure = this.#failures.get(processId) ?? null;
    this.#failures.delete(processId);
    return failure;
  }
}
