// The machine behind a sandbox, as its Durable Object sees it: brings it up once for any number of callers, asks its runner,
// notices when it is another one than before, and stops it so that nobody's call falls into the gap.

import type { InfoResult } from "../../contract/info.ts";
import { limits } from "../../contract/limits.ts";
import { CONTRACT_VERSION, type OperationName, type RequestOf, type ValueOf } from "../../contract/operation.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { FILES_PATH } from "../../contract/transfer.ts";
import { failedTransfer, type TransferRequest } from "../transfer/file-transfer.ts";
import { askRunner, type RunnerPort } from "./runner-client.ts";
import { startWithRetries } from "./start-with-retries.ts";

/** What the machine needs from the platform. */
export interface MachineHost {
  running(): boolean;
  /** Asked before a start: a failure, such as a quota, is the answer to whoever wanted the machine. */
  admit(): Promise<Result<null>>;
  /** Resolves when the runner's port is open; rejects when that fails. */
  start(): Promise<void>;
  /** Tells the machine to end; returns at once. */
  stop(): Promise<void>;
  /** Ends it by force. */
  kill(): Promise<void>;
  port(): RunnerPort;
  loadBootId(): string | null;
  saveBootId(bootId: string): void;
  /** Makes a machine that was not met before ready for commands; the notice that is due. It is asked again after a failure. */
  prepare(info: InfoResult, isFirst: boolean): Promise<Result<string>>;
  /** A machine is up, whether it was met before or not. */
  met(bootId: string): void;
  /** Adds to the notice that is due. */
  announce(text: string): void;
  /** It came up, or went. */
  changed(): void;
}

/** How long after a broken call the platform may still believe that a dead machine runs. */
const deathNoticeMs = 1_000;

export class Machine {
  readonly #host: MachineHost;
  #starting: Promise<Result<string>> | null = null;
  /** The platform says `running` before the machine can be asked anything. */
  #startingNew = false;
  #stopping: Promise<void> | null = null;
  /** Of the machine that is up; null when that is not known. */
  #bootId: string | null = null;
  #giveUpAt = 0;
  #isOutdated = false;

  constructor(host: MachineHost) {
    this.#host = host;
  }

  /** The boot id of a machine that is up, once it is. Callers at the same time share one start. */
  up(patienceMs: number = limits.waitDefaultMs): Promise<Result<string>> {
    if (this.#bootId !== null && this.#host.running()) return Promise.resolve(succeed(this.#bootId));
    this.#giveUpAt = Math.max(this.#giveUpAt, Date.now() + patienceMs);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
      this.#host.changed();
    });
    return this.#starting;
  }

  /** The same for a caller who cannot be told `starting`. */
  async upWithin(ms: number): Promise<Result<string>> {
    const late = Promise.withResolvers<Result<never>>();
    const timer = setTimeout(() => late.resolve(stillStarting), ms);
    const result = await Promise.race([this.up(ms), late.promise]);
    clearTimeout(timer);
    return result;
  }

  /** Of the machine that was met last, while it is not known to have ended. */
  get bootId(): string | null {
    return this.#bootId;
  }

  isUp(): boolean {
    return this.#bootId !== null && this.#host.running();
  }

  /** A machine is there, even if it has not been met since this object was made; one that is being stopped is not. */
  get isThere(): boolean {
    return this.#host.running() && this.#stopping === null && !this.#startingNew;
  }

  get isStarting(): boolean {
    return this.#startingNew;
  }

  /** Its runner has an older contract, so it is to be replaced when it has nothing to do. */
  get isOutdated(): boolean {
    return this.#isOutdated && this.isUp();
  }

  /** It was told to end by somebody else: nobody is given it any more, and whoever asks gets the next one. */
  seeOff(): Promise<void> {
    return this.#leave(() => Promise.resolve());
  }

  /**
   * Stops it, and resolves when it is gone. A call that comes from now on waits for that, and gets the next machine. To be
   * called with no call under way, since it would be cut off.
   */
  stop(): Promise<void> {
    return this.#leave(() => this.#host.stop());
  }

  /** Ends it by force, and resolves when it is gone. */
  end(): Promise<void> {
    return this.#leave(() => this.#host.kill());
  }

  /** Forgets what it has met, so that the next machine counts as the first. */
  forget(): void {
    this.#bootId = null;
  }

  /** Asks the runner of a machine that is up. `lost` is what to say when the machine dies under the call. */
  async ask<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    lost: string | null,
  ): Promise<Result<ValueOf<Name>>> {
    try {
      return await askRunner(this.#host.port(), operation, request);
    } catch (error) {
      console.error(`${operation} got no answer from the runner:`, error);
      if (await this.#hasDied()) return fail({ reason: "machine_restarted", process_id: lost });
      return fail({ reason: "machine_unavailable", message: "its runner did not answer", retry_after_ms: 1_000 });
    }
  }

  /** Brings the machine up and hands its runner a file transfer. */
  async transfer(
    { method, path, headers }: TransferRequest,
    body: ReadableStream<Uint8Array> | null,
  ): Promise<Response> {
    const up = await this.upWithin(limits.waitDefaultMs);
    if (!up.ok) {
      await body?.cancel();
      return failedTransfer(up.failure);
    }
    try {
      return await this.#host
        .port()
        .fetch(`http://runner${FILES_PATH}?path=${encodeURIComponent(path)}`, { method, headers, body });
    } catch (error) {
      console.error(`${method} of a file got no answer from the runner:`, error);
      if (await this.#hasDied()) return failedTransfer({ reason: "machine_restarted", process_id: null });
      return failedTransfer({
        reason: "machine_unavailable",
        message: "its runner did not answer",
        retry_after_ms: 1_000,
      });
    }
  }

  async #start(): Promise<Result<string>> {
    this.#bootId = null;
    try {
      await this.#stopping;
      const started = this.#host.running() ? succeed(null) : await this.#startNew();
      if (!started.ok) return started;
      const info = await askRunner(this.#host.port(), "info", {});
      if (!info.ok) return info;
      this.#isOutdated = info.value.contract_version < CONTRACT_VERSION;
      return await this.#meet(info.value);
    } catch (error) {
      console.error("The machine did not start:", error);
      return fail({ reason: "machine_unavailable", message: "it did not start", retry_after_ms: 5_000 });
    }
  }

  async #startNew(): Promise<Result<null>> {
    this.#startingNew = true;
    try {
      const admitted = await this.#host.admit();
      if (!admitted.ok) return admitted;
      return await startWithRetries(
        () => this.#host.start(),
        () => this.#giveUpAt,
      );
    } finally {
      this.#startingNew = false;
    }
  }

  #leave(how: () => Promise<void>): Promise<void> {
    this.#stopping ??= this.#untilGone(how).finally(() => {
      this.#stopping = null;
      this.#host.changed();
    });
    return this.#stopping;
  }

  async #untilGone(how: () => Promise<void>): Promise<void> {
    this.#bootId = null;
    await how();
    for (const until = Date.now() + limits.machineStopMs; this.#host.running() && Date.now() < until; ) {
      await pause(limits.portPollMs);
    }
    if (this.#host.running()) await this.#host.kill();
  }

  /** The boot id is saved once the machine is ready: one whose files did not all arrive is never taken for one that has them. */
  async #meet(info: InfoResult): Promise<Result<string>> {
    const before = this.#host.loadBootId();
    if (before !== info.boot_id) {
      const prepared = await this.#host.prepare(info, before === null);
      if (!prepared.ok) return prepared;
      this.#host.saveBootId(info.boot_id);
      this.#host.announce(prepared.value);
    }
    this.#bootId = info.boot_id;
    this.#host.met(info.boot_id);
    return succeed(info.boot_id);
  }

  async #hasDied(): Promise<boolean> {
    for (const until = Date.now() + deathNoticeMs; Date.now() < until; ) {
      if (!this.#host.running()) {
        this.#bootId = null;
        return true;
      }
      await pause(20);
    }
    return false;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const stillStarting = fail({ reason: "machine_unavailable", message: "it is still starting", retry_after_ms: 5_000 });
