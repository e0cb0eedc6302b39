// Counts the failures of storing files, and decides when the next attempt is due and when the failure is reported again.

import { limits } from "../../contract/limits.ts";
import { formatDuration } from "../../format/format-duration.ts";

export class RetryBackoff {
  readonly #firstMs: number;
  #failures = 0;
  #failedAt = 0;
  #firstFailedAt = 0;
  #reportedAt = 0;
  #problem = "";

  /** `firstMs` is the pause after the first failure. It doubles with each further one. */
  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** Epoch milliseconds of the next attempt; null when the last one succeeded. */
  get retryAt(): number | null {
    if (this.#failures === 0) return null;
    return this.#failedAt + Math.min(this.#firstMs * 2 ** (this.#failures - 1), limits.checkpointRetryMaxMs);
  }

  /** Why the last attempt failed; null when it succeeded. */
  get problem(): string | null {
    return this.#failures === 0 ? null : this.#problem;
  }

  succeed(): void {
    this.#failures = 0;
  }

  /** Returns the notice about a failure; null when the caller has been told recently. */
  fail(reason: string): string | null {
    const now = Date.now();
    this.#failures += 1;
    this.#problem = reason;
    this.#failedAt = now;
    if (this.#failures === 1) this.#firstFailedAt = now;
    else if (now - this.#reportedAt < limits.checkpointFailureNoticeMs) return null;
    this.#reportedAt = now;
    if (this.#failures === 1)
      return `The files could not be stored (${reason}); this is retried while the machine is up.`;
    return `The files have not been stored for ${formatDuration(now - this.#firstFailedAt)} (${reason}): changes since then would be lost with the machine. The next attempt is in about ${formatDuration((this.retryAt ?? now) - now)}.`;
  }
}
