// The machine of a sandbox, as its Durable Object controls it: starts it once for any number of callers, asks its runner, notices
// when it is another machine than before, and stops it in such a way that no call is cut off.

import type { InfoResult } from "../../contract/info.ts";
import { limits } from "../../contract/limits.ts";
import { CONTRACT_VERSION, type OperationName, type RequestOf, type ValueOf } from "../../contract/operation.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { Notices } from "../notices.ts";
import type { SandboxRecord } from "../storage/sandbox-record.ts";
import type { MachinePlatform } from "./machine-platform.ts";
import { PortRunnerClient, type RunnerClient, RunnerUnreachable } from "./runner-client.ts";
import { startWithRetries } from "./start-with-retries.ts";
import { untilStopped } from "./until-stopped.ts";

/** Decides whether a machine may start, such as by a quota. */
export interface MachineAdmission {
  /** Asked before each start. A failure is the answer to the callers who wanted the machine. */
  admit(): Promise<Result<null>>;
}

/** Makes a machine ready for commands. */
export interface MachinePreparation {
  /**
   * Called for a machine that has not been prepared before; `isFirst` when the sandbox had none before. Answers the notice that is
   * then due. After a failure the machine stays up and is prepared again with the next call.
   */
  prepare(info: InfoResult, isFirst: boolean): Promise<Result<string>>;
}

/** Is told what happens to the machine. */
export interface MachineObserver {
  /** A machine is up and has its files. It may be the same one as at the last call. */
  onMachineUp?(bootId: string): void;
  /** The machine is about to be stopped, and no call will reach it any more. The stop waits for this. */
  beforeMachineStop?(): Promise<void>;
  /** A start has succeeded or failed, or the machine is gone. */
  onMachineChange?(): void;
}

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
  /** The platform says that a machine is running before the machine can be asked anything. */
  #isStartingNew = false;
  #stopping: Promise<void> | null = null;
  #bootId: string | null = null;
  #giveUpAt = 0;
  #hasOlderRunner = false;

  constructor(parts: MachineControllerParts) {
    this.#parts = parts;
    this.#platform = parts.platform;
    this.#runner = new PortRunnerClient(parts.platform);
  }

  observe(observer: MachineObserver): void {
    this.#observers.push(observer);
  }

  /** The boot id of the machine once it is up, starting one where none is. Callers at the same time share one start. */
  up(patienceMs: number = limits.waitDefaultMs): Promise<Result<string>> {
    if (this.#bootId !== null && this.#platform.isRunning) return Promise.resolve(succeed(this.#bootId));
    this.#giveUpAt = Math.max(this.#giveUpAt, Date.now() + patienceMs);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
      this.#reportChange();
    });
    return this.#starting;
  }

  /** As up(), for a caller who cannot be answered `starting`: a failure after `ms`, while the start goes on. */
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

  /** A machine is there and is not being stopped. Since this object was made, it may not have been asked anything yet. */
  get isThere(): boolean {
    return this.#platform.isRunning && this.#stopping === null && !this.#isStartingNew;
  }

  get isStarting(): boolean {
    return this.#isStartingNew;
  }

  /** The runner has an older contract than this code, so the machine is to be replaced when it has nothing to do. */
  get isOutdated(): boolean {
    return this.#hasOlderRunner && this.isUp;
  }

  /** The machine was told to end by something else: it gets no more calls, and a later one waits for the next machine. */
  markStopping(): Promise<void> {
    return this.#leave(() => Promise.resolve());
  }

  /**
   * Stops the machine, and resolves when it is gone. A call that comes from now on waits for that, and gets the next machine. To be
   * called while no call is in flight, since it would be cut off.
   */
  stop(): Promise<void> {
    return this.#leave(async () => {
      for (const observer of this.#observers) await observer.beforeMachineStop?.();
      await this.#platform.stop();
    });
  }

  /** Ends the machine by force, and resolves when it is gone. */
  kill(): Promise<void> {
    return this.#leave(() => this.#platform.kill());
  }

  /** Forgets the boot id, so that the next machine counts as the first. */
  clear(): void {
    this.#bootId = null;
  }

  /** Asks the runner of a machine that is up. `lostProcess` is the process to name when the machine dies during the call. */
  async ask<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    lostProcess: string | null = null,
  ): Promise<Result<ValueOf<Name>>> {
    try {
      return await this.#runner.ask(operation, request);
    } catch (error) {
      return this.explainUnreachable(error, operation, lostProcess);
    }
  }

  fetch(url: string, init: RequestInit): Promise<Response> {
    return this.#runner.fetch(url, init);
  }

  /** The failure that RunnerUnreachable means for a caller; any other error is thrown on. */
  async explainUnreachable(error: unknown, what: string, lostProcess: string | null = null): Promise<Result<never>> {
    if (!(error instanceof RunnerUnreachable)) throw error;
    console.error(`${what} got no answer from the runner:`, error.cause);
    if (await this.#hasDied()) return fail({ reason: "machine_restarted", process_id: lostProcess });
    return fail({ reason: "machine_unavailable", message: "its runner did not answer", retry_after_ms: 1_000 });
  }

  async #start(): Promise<Result<string>> {
    this.#bootId = null;
    await this.#stopping;
    const started = this.#platform.isRunning ? succeed(null) : await this.#startNew();
    if (!started.ok) return started;
    const info = await this.#askInfo();
    if (!info.ok) return info;
    this.#hasOlderRunner = info.value.contract_version < CONTRACT_VERSION;
    return this.#enter(info.value);
  }

  async #startNew(): Promise<Result<null>> {
    this.#isStartingNew = true;
    try {
      const admitted = await this.#parts.admission.admit();
      if (!admitted.ok) return admitted;
      return await startWithRetries(this.#platform, () => this.#giveUpAt);
    } finally {
      this.#isStartingNew = false;
    }
  }

  async #askInfo(): Promise<Result<InfoResult>> {
    try {
      return await this.#runner.ask("info", {});
    } catch (error) {
      if (!(error instanceof RunnerUnreachable)) throw error;
      console.error("The machine did not start:", error.cause);
      return didNotStart;
    }
  }

  /** The boot id is saved once the machine is ready: a machine whose files did not all arrive is never taken for one that has them. */
  async #enter(info: InfoResult): Promise<Result<string>> {
    const { record, preparation, notices } = this.#parts;
    const before = record.bootId;
    if (before !== info.boot_id) {
      const prepared = await preparation.prepare(info, before === null);
      if (!prepared.ok) return prepared;
      record.bootId = info.boot_id;
      record.markCreated();
      notices.add(prepared.value);
    }
    this.#bootId = info.boot_id;
    for (const observer of this.#observers) observer.onMachineUp?.(info.boot_id);
    return succeed(info.boot_id);
  }

  #leave(how: () => Promise<void>): Promise<void> {
    this.#stopping ??= this.#untilGone(how).finally(() => {
      this.#stopping = null;
      this.#reportChange();
    });
    return this.#stopping;
  }

  async #untilGone(how: () => Promise<void>): Promise<void> {
    this.#bootId = null;
    await how();
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

/** The platform may say for this long after a broken call that a dead machine runs. */
const DEATH_NOTICED_MS = 1_000;

const stillStarting = fail({ reason: "machine_unavailable", message: "it is still starting", retry_after_ms: 5_000 });

const didNotStart = fail({ reason: "machine_unavailable", message: "it did not start", retry_after_ms: 5_000 });
