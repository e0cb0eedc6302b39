// An exec whose machine is not up yet: answers questions about it until then, and records whether it was cancelled.

import type { ExecRequest } from "../../contract/exec.ts";
import type { KilledBy, ProcessReport, ProcessSummary, StreamReport } from "../../contract/process.ts";
import type { Result } from "../../contract/result.ts";

export class PendingExec {
  readonly request: ExecRequest;
  readonly #since = Date.now();
  cancelled = false;
  /** The machine is up, and the command is being sent to it. */
  started = false;

  readonly #outcome = Promise.withResolvers<Result<null>>();

  constructor(request: ExecRequest) {
    this.request = request;
  }

  /** Resolves when the command is about to be sent to the machine, or to the reason why it never will be. */
  get outcome(): Promise<Result<null>> {
    return this.#outcome.promise;
  }

  settle(outcome: Result<null>): void {
    this.#outcome.resolve(outcome);
  }

  get waitedMs(): number {
    return Date.now() - this.#since;
  }

  /** How long the call waits for the machine before it returns `starting`. */
  get patienceMs(): number {
    return Math.max(this.request.wait_ms, this.request.start_wait_ms);
  }

  /** The part of `wait_ms` that remains for the command itself. */
  get remainingWaitMs(): number {
    return Math.max(0, Math.min(this.request.wait_ms, this.patienceMs - this.waitedMs));
  }

  summary(): ProcessSummary {
    return {
      process_id: this.request.process_id,
      command: this.request.command,
      status: "starting",
      exit_code: null,
      signal: null,
      timed_out: false,
      killed_by: null,
      started_at: this.#since,
      duration_ms: this.waitedMs,
      left_running: 0,
      left_for_ms: null,
      left_ended: 0,
      unclear: 0,
      stdout_bytes: 0,
      stderr_bytes: 0,
    };
  }

  /** The summary of a command that TERM ended as soon as it started. */
  cancelledSummary(killedBy: KilledBy): ProcessSummary {
    return { ...this.summary(), status: "exited", exit_code: 143, signal: "SIGTERM", killed_by: killedBy };
  }

  report(): ProcessReport {
    return { ...this.summary(), stdout: noOutput, stderr: noOutput, attached: false, hint: null, full_disk: null };
  }
}

const noOutput: StreamReport = {
  text: "",
  bytes: 0,
  lines: 0,
  omitted_bytes: 0,
  invalid_utf8: false,
  log_path: null,
  log_capped: false,
  log_error: null,
};
