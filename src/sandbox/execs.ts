// The commands of one sandbox on their way to a machine: those that wait for it to start, those that may be asked for again,
// and those whose machine never came.

import type { ExecRequest, ExecResult } from "../contract/exec.ts";
import type { OperationName, RequestOf } from "../contract/operation.ts";
import { fail, type Result, succeed } from "../contract/result.ts";
import { answerAsleep } from "./asleep.ts";
import { FailedStarts } from "./failed-starts.ts";
import type { Machine } from "./machine.ts";
import { PendingExec } from "./pending-exec.ts";
import { fingerprintOf, type ProcessLedger } from "./process-ledger.ts";

export interface ExecHost {
  machine: Machine;
  ledger: ProcessLedger;
  /** The sandbox's own variables, as they are now. */
  environment(): Record<string, string>;
  detach(work: Promise<unknown>): void;
}

export class Execs {
  readonly #host: ExecHost;
  readonly #pending = new Map<string, PendingExec>();
  readonly #failedStarts = new FailedStarts();

  constructor(host: ExecHost) {
    this.#host = host;
  }

  /** Some command still waits for a machine. */
  get areWaiting(): boolean {
    return this.#pending.size > 0;
  }

  /** Those that wait are not run any more. */
  cancel(): void {
    for (const pending of this.#pending.values()) pending.cancelled = true;
  }

  async run(request: ExecRequest): Promise<Result<ExecResult>> {
    const refusal = request.repeatable ? await this.#enter(request) : null;
    if (refusal !== null) return refusal;
    if (this.#host.machine.isUp()) return this.#handOver(request);
    const known = this.#pending.get(request.process_id);
    if (known !== undefined) return succeed({ ...known.report(), attached: true });
    return this.#runOrSayStarting(new PendingExec(request));
  }

  /** What is known about processes without a machine; null where that has to be asked. */
  answer(operation: OperationName, request: RequestOf<OperationName>): Result<unknown> | null {
    const failure =
      operation === "process-read" && "process_id" in request ? this.#failedStarts.take(request.process_id) : null;
    if (failure !== null) return fail(failure);
    const { ledger, machine } = this.#host;
    return answerAsleep(operation, request, { pending: this.#pending, ledger, up: machine.isThere });
  }

  /** Answers at the end of `wait_ms` at the latest; the command is run when the machine is up, also after that. */
  async #runOrSayStarting(pending: PendingExec): Promise<Result<ExecResult>> {
    const { request } = pending;
    this.#pending.set(request.process_id, pending);
    const run = this.#runWhenUp(pending);
    const timer = new AbortController();
    const expired = scheduler.wait(pending.patienceMs, { signal: timer.signal }).then(
      () => null,
      () => null,
    );
    const result = await Promise.race([run, expired]);
    timer.abort();
    if (result !== null || pending.started) return run;
    this.#host.detach(run.then((late) => this.#failedStarts.add(request.process_id, late)));
    return succeed(pending.report());
  }

  async #runWhenUp(pending: PendingExec): Promise<Result<ExecResult>> {
    const up = await this.#host.machine.up(pending.patienceMs);
    this.#pending.delete(pending.request.process_id);
    if (!up.ok) return up;
    if (pending.cancelled) return fail({ reason: "cancelled" });
    pending.started = true;
    return this.#handOver({ ...pending.request, wait_ms: pending.remainingWaitMs });
  }

  async #handOver(request: ExecRequest): Promise<Result<ExecResult>> {
    const { machine, ledger, environment } = this.#host;
    if (request.repeatable) {
      const up = await machine.up();
      if (!up.ok) return up;
      ledger.setBoot(request.process_id, up.value);
    }
    return machine.ask("exec", { ...request, sandbox_env: environment() }, request.process_id);
  }

  /** Records an id that the caller chose before anything is started under it; a failure says why it may not be. */
  async #enter(request: ExecRequest): Promise<Result<never> | null> {
    const { machine, ledger } = this.#host;
    const fingerprint = await fingerprintOf(request);
    const entry = ledger.find(request.process_id);
    if (entry === null) {
      ledger.add(request.process_id, fingerprint);
      return null;
    }
    if (entry.fingerprint !== fingerprint) return fail({ reason: "process_conflict", process_id: request.process_id });
    if (entry.bootId === null) return null;
    if (machine.isThere) {
      const up = await machine.up();
      if (!up.ok) return up;
      if (up.value === entry.bootId) return null;
    }
    return fail({ reason: "machine_restarted", process_id: request.process_id });
  }
}
