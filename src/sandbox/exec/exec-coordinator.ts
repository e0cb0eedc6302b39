// The commands of one sandbox on their way to a machine: those that wait for it to start, those that may be asked for again,
// and those whose machine never came.

import type { ExecRequest, ExecResult } from "../../contract/exec.ts";
import type { FailureReason } from "../../contract/failure.ts";
import { limits } from "../../contract/limits.ts";
import type { OperationName, RequestOf, ValueOf } from "../../contract/operation.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { Machine } from "../machine/machine-controller.ts";
import { FailedStarts } from "./failed-starts.ts";
import { answerAsleep } from "./offline-answers.ts";
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
  /** Ids of commands that the machine is being handed, and that it may not know yet. */
  readonly #onTheirWay = new Set<string>();
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
    return known === undefined ? this.#runOrSayStarting(new PendingExec(request)) : this.#join(known, request);
  }

  /** What is known about processes without a machine; null where that has to be asked. */
  async answer(operation: OperationName, request: RequestOf<OperationName>): Promise<Result<unknown> | null> {
    const { ledger, machine } = this.#host;
    if (operation === "process-read" && "until" in request && request.until !== null) {
      const pending = this.#pending.get(request.process_id);
      if (pending !== undefined) await this.#started(pending, request.wait_ms);
    }
    const failure =
      operation === "process-read" && "process_id" in request ? this.#failedStarts.take(request.process_id) : null;
    if (failure !== null) return fail(failure);
    return answerAsleep(operation, request, { pending: this.#pending, ledger, up: machine.isThere });
  }

  /**
   * Asks the machine about a process. The caller may know of one that is still on its way there: requests go on connections of
   * their own, and a later one may arrive first.
   */
  async ask<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    processId: string,
  ): Promise<Result<ValueOf<Name>>> {
    for (;;) {
      const isOnItsWay = this.#onTheirWay.has(processId);
      const result = await this.#host.machine.ask(operation, request, null);
      if (!isOnItsWay || result.ok || result.failure.reason !== "not_found") return this.#explain(processId, result);
      await scheduler.wait(limits.portPollMs);
    }
  }

  /** One that the machine does not know may have been lost with an earlier one. */
  #explain<Value>(processId: string, result: Result<Value>): Result<Value> {
    if (result.ok || result.failure.reason !== "not_found") return result;
    const entry = this.#host.ledger.find(processId);
    const lost = entry !== null && entry.bootId !== null && entry.bootId !== this.#host.machine.bootId;
    return lost ? fail({ reason: "machine_restarted", process_id: processId }) : result;
  }

  /** A second call for a command whose machine is still starting: it waits as long as it may, then finds the command there. */
  async #join(pending: PendingExec, request: ExecRequest): Promise<Result<ExecResult>> {
    const own = new PendingExec(request);
    if (!(await this.#started(pending, own.patienceMs))) return succeed({ ...pending.report(), attached: true });
    const outcome = await pending.outcome;
    if (!outcome.ok) return outcome;
    return this.#handOver({ ...request, wait_ms: own.remainingWaitMs });
  }

  /** Whether the machine was handed the command, or will never be, within the time. */
  async #started(pending: PendingExec, waitMs: number): Promise<boolean> {
    const timer = new AbortController();
    const late = scheduler.wait(waitMs, { signal: timer.signal }).then(
      () => false,
      () => false,
    );
    const started = await Promise.race([pending.outcome.then(() => true), late]);
    timer.abort();
    return started;
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
    const outcome: Result<null> = pending.cancelled ? fail({ reason: "cancelled" }) : up.ok ? succeed(null) : up;
    pending.settle(outcome);
    if (!outcome.ok) {
      this.#forget(pending.request);
      return outcome;
    }
    pending.started = true;
    return this.#handOver({ ...pending.request, wait_ms: pending.remainingWaitMs });
  }

  async #handOver(request: ExecRequest): Promise<Result<ExecResult>> {
    this.#onTheirWay.add(request.process_id);
    try {
      return await this.#hand(request);
    } finally {
      this.#onTheirWay.delete(request.process_id);
    }
  }

  async #hand(request: ExecRequest): Promise<Result<ExecResult>> {
    const { machine, ledger, environment } = this.#host;
    if (request.repeatable) {
      const up = await machine.up();
      if (!up.ok) return up;
      ledger.setBoot(request.process_id, up.value);
    }
    const result = await machine.ask("exec", { ...request, sandbox_env: environment() }, request.process_id);
    if (!result.ok && nothingRan.has(result.failure.reason)) this.#forget(request);
    if (!request.repeatable && result.ok && goesOn(result.value) && machine.bootId !== null) {
      // The answer tells its id, so the caller will ask for it, perhaps after the machine has gone.
      ledger.add(request.process_id, serverMade);
      ledger.setBoot(request.process_id, machine.bootId);
    }
    return result;
  }

  /** An id under which nothing was started is free again. */
  #forget(request: ExecRequest): void {
    if (request.repeatable) this.#host.ledger.remove(request.process_id);
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

/** The fingerprint of a command whose id the server made: no call can repeat it. */
const serverMade = "-";

const goesOn = ({ status, left_running }: ExecResult): boolean => status !== "exited" || left_running > 0;

/** Why the runner refuses to start a command; a fault of the way to it is not among them. */
const nothingRan: ReadonlySet<FailureReason> = new Set([
  "invalid_request",
  "not_found",
  "wrong_kind",
  "refused",
  "too_large",
  "quota_exceeded",
]);
