// An exec whose machine is not up yet: what is said of it meanwhile, and whether it was called off.

import type { ExecRequest } from "../../contract/exec.ts";
import type { KilledBy, ProcessReport, ProcessSummary, StreamReport } from "../../contract/process.ts";
import type { Result } from "../../contract/result.ts";

export class PendingExec {
  readonly request: ExecRequest;
  readonly #since = Date.now();
  cancelled = false;
  /** The machine is up and has been handed the command. */
  started = false;

  readonly #outcome = Promise.withResolvers<Result<null>>();

  constructor(request: ExecRequest) {
    this.request = request;
  }

  /** Resolves when the machine is about to be handed the command, or with why it never will be. */
  get outcome(): Promise<Result<null>> {
    return this.#outcome.promise;
  }

  settle(outcome: Result<null>): void {
    this.#outcome.resolve(outcome);
  }

  get waitedMs(): number {
    return Date.now() - this.#since;
  }

  /** How long the call waits for the machine before it answers `starting`. */
  get patienceMs(): number {
    return Math.max(this.request.wait_ms, this.request.start_wait_ms);
  }

  /** What is left of `wait_ms` for the command itself. */
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
      stdout_bytes: 0,
      stderr_bytes: 0,
    };
  }

  /** It was ended before it ran: as if a TERM had met it at its very start. */
  calledOff(killedBy: KilledBy): ProcessSummary {
    return { ...this.summary(), status: "exited", exit_code: 143, signal: "SIGTERM", killed_by: killedBy };
  }

  report(): ProcessReport {
    return { ...this.summary(), stdout: nothing, stderr: nothing, attached: false };
  }
}

const nothing: StreamReport = {
  text: "",
  bytes: 0,
  lines: 0,
  omitted_bytes: 0,
  invalid_utf8: false,
  log_path: null,
  log_capped: false,
};
