// An exec whose machine is not up yet: what is said of it meanwhile, and whether it was called off.

import type { ExecRequest } from "../contract/exec.ts";
import type { ProcessReport, ProcessSummary, StreamReport } from "../contract/process.ts";

export class PendingExec {
  readonly request: ExecRequest;
  readonly #since = Date.now();
  cancelled = false;
  /** The machine is up and has been handed the command. */
  started = false;

  constructor(request: ExecRequest) {
    this.request = request;
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
