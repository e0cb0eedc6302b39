// The machine behind a sandbox, as its Durable Object sees it: brings it up once for any number of callers, gives a new one its
// files before anything else, asks its runner, and sees it off.

import type { InfoResult } from "../contract/info.ts";
import { limits } from "../contract/limits.ts";
import type { OperationName, RequestOf, ValueOf } from "../contract/operation.ts";
import { fail, type Result, succeed } from "../contract/result.ts";
import { askRunner, type RunnerPort } from "./runner-client.ts";

/** What the machine needs from the platform and from its sandbox. */
export interface MachineHost {
  running(): boolean;
  /** Resolves when the runner's port is open; rejects when that fails. */
  start(): Promise<void>;
  /** Tells the machine to end; resolves before it has. */
  stop(): Promise<void>;
  /** Ends it without asking. */
  kill(): Promise<void>;
  port(): RunnerPort;
  loadBootId(): string | null;
  saveBootId(bootId: string): void;
  /** Makes a machine that was not met before ready for commands; the notice that is due. It is asked again after a failure. */
  prepare(info: InfoResult, isFirst: boolean): Promise<Result<string>>;
  /** A machine is up, met before or not. */
  met(bootId: string): void;
}

/** How long after a broken call the platform may still believe that a dead machine runs. */
const deathNoticeMs = 1_000;
const pollMs = 20;

export class Machine {
  readonly #host: MachineHost;
  #starting: Promise<Result<string>> | null = null;
  #leaving: Promise<void> | null = null;
  /** Of the machine that is up; null when that is not known. */
  #bootId: string | null = null;
  #notice: string | null = null;

  constructor(host: MachineHost) {
    this.#host = host;
  }

  /** The boot id of a machine that is up, once it is. Callers at the same time share one start. */
  up(): Promise<Result<string>> {
    if (this.isUp() && this.#bootId !== null) return Promise.resolve(succeed(this.#bootId));
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  isUp(): boolean {
    return this.#bootId !== null && this.#leaving === null && this.#host.running();
  }

  /** A machine runs and is not on its way out. */
  runs(): boolean {
    return this.#leaving === null && this.#host.running();
  }

  /** From now on nobody is given this machine; whoever asks gets the next one, once this one has gone. */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave().finally(() => {
      this.#leaving = null;
      this.#bootId = null;
    });
    return this.#leaving;
  }

  /** The same for a machine that was told to end by somebody else. */
  seeOff(): Promise<void> {
    this.#leaving ??= this.#untilGone(limits.checkpointEndingMaxMs).then(() => {
      this.#leaving = null;
      this.#bootId = null;
    });
    return this.#leaving;
  }

  /** The notice due with the next answer; given once. */
  takeNotice(): string | null {
    const notice = this.#notice;
    this.#notice = null;
    return notice;
  }

  addNotice(text: string): void {
    this.#notice = this.#notice === null ? text : `${this.#notice} ${text}`;
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
      if (await this.#untilGone(deathNoticeMs)) {
        if (this.#leaving === null) this.#bootId = null;
        return fail({ reason: "machine_restarted", process_id: lost });
      }
      return fail({ reason: "machine_unavailable", message: "its runner did not answer", retry_after_ms: 1_000 });
    }
  }

  async #start(): Promise<Result<string>> {
    await this.#leaving;
    this.#bootId = null;
    try {
      if (!this.#host.running()) await this.#host.start();
      const info = await askRunner(this.#host.port(), "info", {});
      return info.ok ? await this.#meet(info.value) : info;
    } catch (error) {
      console.error("The machine did not start:", error);
      return fail({ reason: "machine_unavailable", message: "it did not start", retry_after_ms: 5_000 });
    }
  }

  /** The boot id is saved when the machine is ready, so that one whose files did not all arrive is never taken for one that has them. */
  async #meet(info: InfoResult): Promise<Result<string>> {
    const before = this.#host.loadBootId();
    if (before !== info.boot_id) {
      const prepared = await this.#host.prepare(info, before === null);
      if (!prepared.ok) return prepared;
      this.#host.saveBootId(info.boot_id);
      this.addNotice(prepared.value);
    }
    this.#bootId = info.boot_id;
    this.#host.met(info.boot_id);
    return succeed(info.boot_id);
  }

  async #leave(): Promise<void> {
    await this.#host.stop();
    if (await this.#untilGone(limits.machineStopMs)) return;
    await this.#host.kill();
    await this.#untilGone(limits.machineStopMs);
  }

  /** False when it still runs after `ms`. */
  async #untilGone(ms: number): Promise<boolean> {
    for (const until = Date.now() + ms; this.#host.running(); ) {
      if (Date.now() >= until) return false;
      await scheduler.wait(pollMs);
    }
    return true;
  }
}
