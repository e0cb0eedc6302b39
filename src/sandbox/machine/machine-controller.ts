// Controls the machine of a sandbox from its Durable Object: starts it once for any number of callers, sends requests to its
// runner, detects that the machine was replaced, and stops it without cutting off a call.

import type { InfoResult } from "../../contract/info.ts";
import { limits } from "../../contract/limits.ts";
import { CONTRACT_VERSION, type OperationName, type RequestOf, type ValueOf } from "../../contract/operation.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { Notices } from "../notices.ts";
import type { SandboxRecord } from "../storage/sandbox-record.ts";
import type { MachineAdmission, MachineObserver, MachinePreparation } from "./machine-collaborators.ts";
import type { MachinePlatform } from "./machine-platform.ts";
import { PortRunnerClient, type RunnerClient } from "./runner-client.ts";
import { RunnerFault, type RunnerFaultKind } from "./runner-fault.ts";
import { startWithRetries } from "./start-with-retries.ts";
import { untilStopped } from "./until-stopped.ts";

interface MachineControllerParts {
  platform: MachinePlatform;
  admission: MachineAdmission;
  preparation: MachinePreparation;
  record: SandboxRecord;
  notices: Notices;
}

export class MachineController implements RunnerClient {
  readonly #parts: MachineControllerParts;
  readonly #platform: MachinePlatform;
  readonly #runner: RunnerClient;
  readonly #observers: MachineObserver[] = [];
  #starting: Promise<Result<string>> | null = null;
  /** A new machine is starting. The platform reports it as running before it can take requests. */
  #isStartingNew = false;
  #stopping: Promise<void> | null = null;
  #bootId: string | null = null;
  #giveUpAt = 0;
  #hasOlderRunner = false;
  #isResponding = true;
  /** No command has run in the machine: this object started it and has not yet let anybody use it. */
  #isUntouched = false;

  constructor(parts: MachineControllerParts) {
    this.#parts = parts;
    this.#platform = parts.platform;
    this.#runner = new PortRunnerClient(parts.platform);
  }

  observe(observer: MachineObserver): void {
    this.#observers.push(observer);
  }

  /** Resolves to the boot id of the machine once it is up, and starts one if none is. Concurrent callers share one start. */
  up(patienceMs: number = limits.waitDefaultMs): Promise<Result<string>> {
    if (this.#bootId !== null && this.#platform.isRunning) return Promise.resolve(succeed(this.#bootId));
    this.#giveUpAt = Math.max(this.#giveUpAt, Date.now() + patienceMs);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
      this.#reportChange();
    });
    return this.#starting;
  }

  /** Like up(), for callers whose result has no `starting`: fails after `ms`, while the start continues. */
  async upWithin(ms: number): Promise<Result<string>> {
    const late = Promise.withResolvers<Result<never>>();
    const timer = setTimeout(() => late.resolve(stillStarting), ms);
    try {
      return await Promise.race([this.up(ms), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The boot id of the machine that was last up, while it is not known to have ended. */
  get bootId(): string | null {
    return this.#bootId;
  }

  get isUp(): boolean {
    return this.#bootId !== null && this.#platform.isRunning;
  }

  /** A machine is running and is not being stopped. This object may not have sent it a request yet. */
  get isThere(): boolean {
    return this.#platform.isRunning && this.#stopping === null && !this.#isStartingNew;
  }

  get isStarting(): boolean {
    return this.#isStartingNew;
  }

  /** False when the runner has not given a valid answer to the last request. */
  get isResponding(): boolean {
    return this.#isResponding;
  }

  /** Asks the runner of the machine that is running, whether this object has used it before or not. */
  async responds(): Promise<boolean> {
    return (await this.ask("info", {})).ok;
  }

  /** The runner has an older contract than this code, so the machine should be replaced once it is idle. */
  get isOutdated(): boolean {
    return this.#hasOlderRunner && this.isUp;
  }

  /** Something else is shutting the machine down: it receives no more calls, and later ones wait for the next machine. */
  markStopping(): Promise<void> {
    return this.#shutDown(() => Promise.resolve());
  }

  /**
   * Stops the machine, and resolves when it has ended. Calls that arrive from now on wait for that and get the next machine. Must
   * not be called while a call is in flight, which would be cut off.
   */
  stop(): Promise<void> {
    return this.#shutDown(async () => {
      for (const observer of this.#observers) await observer.beforeMachineStop?.();
      await this.#platform.stop();
    });
  }

  /** Kills the machine, and resolves when it has ended. */
  kill(): Promise<void> {
    return this.#shutDown(() => this.#platform.kill());
  }

  /** Forgets the boot id, so that the next machine counts as the first. */
  clear(): void {
    this.#bootId = null;
  }

  /**
   * Sends a request to the runner of a machine that is up. `lostProcess` is the process to name if the machine dies during the
   * call.
   */
  async ask<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    lostProcess: string | null = null,
  ): Promise<Result<ValueOf<Name>>> {
    try {
      const result = await this.#runner.ask(operation, request);
      this.#isResponding = true;
      return result;
    } catch (error) {
      return this.explainFault(error, operation, lostProcess);
    }
  }

  fetch(url: string, init: RequestInit): Promise<Response> {
    return this.#runner.fetch(url, init);
  }

  /** Turns RunnerFault into the failure for the caller; rethrows any other error. */
  async explainFault(error: unknown, what: string, lostProcess: string | null = null): Promise<Result<never>> {
    if (!(error instanceof RunnerFault)) throw error;
    console.error(`${what} got no valid answer from the runner: ${error.kind}`, error.cause);
    if (await this.#hasDied()) return fail({ reason: "machine_restarted", process_id: lostProcess });
    this.#isResponding = false;
    return unavailable(error.kind);
  }

  async #start(): Promise<Result<string>> {
    this.#bootId = null;
    await this.#stopping;
    const started = this.#platform.isRunning ? succeed(null) : await this.#startNew();
    if (!started.ok) return started;
    const info = await this.#askInfo();
    if (!info.ok) return info;
    this.#hasOlderRunner = info.value.contract_version < CONTRACT_VERSION;
    return this.#prepare(info.value);
  }

  async #startNew(): Promise<Result<null>> {
    this.#isStartingNew = true;
    try {
      const admitted = await this.#parts.admission.admit();
      if (!admitted.ok) return admitted;
      this.#isUntouched = true;
      return await startWithRetries(this.#platform, () => this.#giveUpAt);
    } finally {
      this.#isStartingNew = false;
    }
  }

  async #askInfo(): Promise<Result<InfoResult>> {
    try {
      return await this.#runner.ask("info", {});
    } catch (error) {
      if (!(error instanceof RunnerFault)) throw error;
      console.error(`The machine did not start: its answer was ${error.kind}`, error.cause);
      this.#isResponding = this.#isUntouched;
      return this.#isUntouched ? didNotStart : unavailable(error.kind);
    }
  }

  /** The boot id is saved once the machine is ready: a machine with incomplete files must not count as restored. */
  async #prepare(info: InfoResult): Promise<Result<string>> {
    const { record, preparation, notices } = this.#parts;
    const before = record.bootId;
    if (before !== info.boot_id) {
      const prepared = await preparation.prepare(info, { isFirst: before === null, isUntouched: this.#isUntouched });
      if (!prepared.ok) return prepared;
      record.bootId = info.boot_id;
      record.markCreated();
      notices.add(prepared.value);
    }
    this.#isUntouched = false;
    this.#isResponding = true;
    this.#bootId = info.boot_id;
    for (const observer of this.#observers) observer.onMachineUp?.(info.boot_id);
    return succeed(info.boot_id);
  }

  #shutDown(stop: () => Promise<void>): Promise<void> {
    this.#stopping ??= this.#stopAndWait(stop).finally(() => {
      this.#stopping = null;
      this.#reportChange();
    });
    return this.#stopping;
  }

  async #stopAndWait(stop: () => Promise<void>): Promise<void> {
    this.#bootId = null;
    await stop();
    const hasStopped = await untilStopped(this.#platform, {
      withinMs: limits.machineStopMs,
      pollMs: limits.portPollMs,
    });
    if (!hasStopped) await this.#platform.kill();
  }

  async #hasDied(): Promise<boolean> {
    const hasDied = await untilStopped(this.#platform, { withinMs: DEATH_NOTICED_MS, pollMs: 20 });
    if (hasDied) this.#bootId = null;
    return hasDied;
  }

  #reportChange(): void {
    for (const observer of this.#observers) observer.onMachineChange?.();
  }
}

/** For this long after a call breaks, the platform may still report a dead machine as running. */
const DEATH_NOTICED_MS = 1_000;

const stillStarting = fail({ reason: "machine_unavailable", message: "it is still starting", retry_after_ms: 5_000 });

const faultMessages: Record<RunnerFaultKind, string> = {
  lost: "its runner did not respond",
  late: 'its runner did not respond in time. If that goes on, sandbox {action: "stop"} ends the machine',
  invalid:
    'its runner gave an answer that is not valid, which a program in the machine can cause. sandbox {action: "stop"} ends the machine',
};

const unavailable = (kind: RunnerFaultKind): Result<never> =>
  fail({ reason: "machine_unavailable", message: faultMessages[kind], retry_after_ms: 1_000 });

const didNotStart = fail({ reason: "machine_unavailable", message: "it did not start", retry_after_ms: 5_000 });
