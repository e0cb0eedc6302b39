// Runs the commands of one sandbox in its machine: queues them while the machine starts, recognizes repeated calls, and reports
// those whose machine failed to start.

import type { ExecRequest, ExecResult } from "../../contract/exec.ts";
import type { FailureReason } from "../../contract/failure.ts";
import { limits } from "../../contract/limits.ts";
import type { OperationName, RequestOf, ValueOf } from "../../contract/operation.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { MachineController } from "../machine/machine-controller.ts";
import type { MachinePlatform } from "../machine/machine-platform.ts";
import { pause } from "../pause.ts";
import type { SettingsStore } from "../settings/settings-store.ts";
import { FailedStarts } from "./failed-starts.ts";
import { answerOffline } from "./offline-answers.ts";
import { PendingExec } from "./pending-exec.ts";
import { fingerprintOf, type ProcessLedger } from "./process-ledger.ts";

interface ExecCoordinatorParts {
  platform: MachinePlatform;
  machine: MachineController;
  ledger: ProcessLedger;
  settings: SettingsStore;
}

export class ExecCoordinator {
  readonly #parts: ExecCoordinatorParts;
  readonly #pending = new Map<string, PendingExec>();
  /** The ids of commands that are being sent to the machine and that it may not know yet. */
  readonly #inTransit = new Set<string>();
  readonly #failedStarts = new FailedStarts();

  constructor(parts: ExecCoordinatorParts) {
    this.#parts = parts;
  }

  /** A command is waiting for a machine. */
  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Cancels the commands that wait for a machine. */
  cancelPending(): void {
    for (const pending of this.#pending.values()) pending.cancelled = true;
  }

  async run(request: ExecRequest): Promise<Result<ExecResult>> {
    const refusal = request.repeatable ? await this.#reserve(request) : null;
    if (refusal !== null) return refusal;
    if (this.#parts.machine.isUp) return this.#dispatch(request);
    const pending = this.#pending.get(request.process_id);
    return pending === undefined ? this.#runOrAnswerStarting(new PendingExec(request)) : this.#join(pending, request);
  }

  /** Answers a question about processes without the machine; null when the machine has to be asked. */
  async answerOffline(operation: OperationName, request: RequestOf<OperationName>): Promise<Result<unknown> | null> {
    const { ledger, machine } = this.#parts;
    if (operation === "process-read" && "until" in request && request.until !== null) {
      const pending = this.#pending.get(request.process_id);
      if (pending !== undefined) await this.#isSettledWithin(pending, request.wait_ms);
    }
    const failure =
      operation === "process-read" && "process_id" in request ? this.#failedStarts.take(request.process_id) : null;
    if (failure !== null) return fail(failure);
    return answerOffline(operation, request, { pending: this.#pending, ledger, hasMachine: machine.isThere });
  }

  /**
   * Asks the machine about a process. The caller may know of a process whose command is still in transit: each request has a
   * connection of its own, so a later one can arrive first.
   */
  async askAbout<Name extends OperationName>(
    processId: string,
    operation: Name,
    request: RequestOf<Name>,
  ): Promise<Result<ValueOf<Name>>> {
    for (;;) {
      const isInTransit = this.#inTransit.has(processId);
      const result = await this.#parts.machine.ask(operation, request);
      if (!isInTransit || result.ok || result.failure.reason !== "not_found") return this.#explain(processId, result);
      await pause(limits.portPollMs);
    }
  }

  /** Explains that a process unknown to the machine was lost with an earlier one, if it was. */
  #explain<Value>(processId: string, result: Result<Value>): Result<Value> {
    if (result.ok || result.failure.reason !== "not_found") return result;
    const entry = this.#parts.ledger.find(processId);
    const isLost = entry !== null && entry.bootId !== null && entry.bootId !== this.#parts.machine.bootId;
    return isLost ? fail({ reason: "machine_restarted", process_id: processId }) : result;
  }

  /**
   * Serves a repeated call for a command whose machine is still starting: waits as long as it may, then attaches to the command.
   */
  async #join(pending: PendingExec, request: ExecRequest): Promise<Result<ExecResult>> {
    const second = new PendingExec(request);
    if (!(await this.#isSettledWithin(pending, second.patienceMs))) {
      return succeed({ ...pending.report(), attached: true });
    }
    const outcome = await pending.outcome;
    if (!outcome.ok) return outcome;
    return this.#dispatch({ ...request, wait_ms: second.remainingWaitMs });
  }

  /** Resolves to whether it is known within the time if the command is sent to the machine or never will be. */
  async #isSettledWithin(pending: PendingExec, waitMs: number): Promise<boolean> {
    const expiry = expireAfter(waitMs);
    const isSettled = await Promise.race([pending.outcome.then(() => true), expiry.expired.then(() => false)]);
    expiry.cancel();
    return isSettled;
  }

  /** Responds by the end of `wait_ms`. The command runs when the machine is up, even if that is later. */
  async #runOrAnswerStarting(pending: PendingExec): Promise<Result<ExecResult>> {
    const { request } = pending;
    this.#pending.set(request.process_id, pending);
    const run = this.#runWhenUp(pending);
    const expiry = expireAfter(pending.patienceMs);
    const result = await Promise.race([run, expiry.expired.then(() => null)]);
    expiry.cancel();
    if (result !== null || pending.started) return run;
    this.#parts.platform.waitUntil(run.then((late) => this.#failedStarts.add(request.process_id, late)));
    return succeed(pending.report());
  }

  async #runWhenUp(pending: PendingExec): Promise<Result<ExecResult>> {
    const outcome = await this.#waitForMachine(pending);
    pending.settle(outcome);
    if (!outcome.ok) {
      this.#release(pending.request);
      return outcome;
    }
    pending.started = true;
    return this.#dispatch({ ...pending.request, wait_ms: pending.remainingWaitMs });
  }

  async #waitForMachine(pending: PendingExec): Promise<Result<null>> {
    try {
      const up = await this.#parts.machine.up(pending.patienceMs);
      if (pending.cancelled) return fail({ reason: "cancelled" });
      return up.ok ? succeed(null) : up;
    } finally {
      this.#pending.delete(pending.request.process_id);
    }
  }

  async #dispatch(request: ExecRequest): Promise<Result<ExecResult>> {
    this.#inTransit.add(request.process_id);
    try {
      return await this.#send(request);
    } finally {
      this.#inTransit.delete(request.process_id);
    }
  }

  async #send(request: ExecRequest): Promise<Result<ExecResult>> {
    const { machine, ledger, settings } = this.#parts;
    if (request.repeatable) {
      const up = await machine.up();
      if (!up.ok) return up;
      ledger.setBoot(request.process_id, up.value);
    }
    const sandbox_env = settings.current.environment;
    const result = await machine.ask("exec", { ...request, sandbox_env }, request.process_id);
    if (!result.ok && REFUSALS.has(result.failure.reason)) this.#release(request);
    if (!request.repeatable && result.ok && goesOn(result.value) && machine.bootId !== null) {
      // The answer names the process, so the caller may ask about it, perhaps after the machine has ended.
      ledger.add(request.process_id, NOT_REPEATABLE);
      ledger.setBoot(request.process_id, machine.bootId);
    }
    return result;
  }

  /** Frees an id under which nothing was started. */
  #release(request: ExecRequest): void {
    if (request.repeatable) this.#parts.ledger.remove(request.process_id);
  }

  /** Records an id that the caller chose, before anything is started under it. A failure says why the id cannot be used. */
  async #reserve(request: ExecRequest): Promise<Result<never> | null> {
    const { machine, ledger } = this.#parts;
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

/** The fingerprint of a command whose id the server generated: no call can have it, so none can repeat the command. */
const NOT_REPEATABLE = "-";

const goesOn = ({ status, left_running }: ExecResult): boolean => status !== "exited" || left_running > 0;

/** The reasons for which the runner refuses to start a command. After any other failure the command may have run. */
const REFUSALS: ReadonlySet<FailureReason> = new Set([
  "invalid_request",
  "not_found",
  "wrong_kind",
  "refused",
  "too_large",
  "quota_exceeded",
]);

/** `expired` resolves after the time, or when it is cancelled. */
function expireAfter(ms: number): { expired: Promise<void>; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return {
    expired: promise,
    cancel() {
      clearTimeout(timer);
      resolve();
    },
  };
}
