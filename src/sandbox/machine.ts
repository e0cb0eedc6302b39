// The machine behind a sandbox, as its Durable Object sees it: brings it up once for any number of callers, asks its runner,
// and notices when it is another one than before.

import type { OperationName, RequestOf, ValueOf } from "../contract/operation.ts";
import { fail, type Result, succeed } from "../contract/result.ts";
import { filesUrl } from "../contract/transfer.ts";
import { failedTransfer, type TransferRequest } from "./file-transfer.ts";
import { askRunner, type RunnerPort } from "./runner-client.ts";

/** What the machine needs from the platform. */
export interface MachineHost {
  running(): boolean;
  /** Resolves when the runner's port is open; rejects when that fails. */
  start(): Promise<void>;
  port(): RunnerPort;
  loadBootId(): string | null;
  saveBootId(bootId: string): void;
}

/** How long after a broken call the platform may still believe that a dead machine runs. */
const deathNoticeMs = 1_000;

export class Machine {
  readonly #host: MachineHost;
  #starting: Promise<Result<string>> | null = null;
  /** Of the machine that is up; null when that is not known. */
  #bootId: string | null = null;
  #notice: string | null = null;

  constructor(host: MachineHost) {
    this.#host = host;
  }

  /** The boot id of a machine that is up, once it is. Callers at the same time share one start. */
  up(): Promise<Result<string>> {
    if (this.#bootId !== null && this.#host.running()) return Promise.resolve(succeed(this.#bootId));
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  isUp(): boolean {
    return this.#bootId !== null && this.#host.running();
  }

  /** The notice due with the next answer; given once. */
  takeNotice(): string | null {
    const notice = this.#notice;
    this.#notice = null;
    return notice;
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
    const up = await this.up();
    if (!up.ok) {
      await body?.cancel();
      return failedTransfer(up.failure);
    }
    try {
      return await this.#host.port().fetch(filesUrl(path), { method, headers, body });
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
      if (!this.#host.running()) await this.#host.start();
      const info = await askRunner(this.#host.port(), "info", {});
      if (!info.ok) return info;
      this.#meet(info.value.boot_id);
      return succeed(info.value.boot_id);
    } catch (error) {
      console.error("The machine did not start:", error);
      return fail({ reason: "machine_unavailable", message: "it did not start", retry_after_ms: 5_000 });
    }
  }

  #meet(bootId: string): void {
    const before = this.#host.loadBootId();
    this.#bootId = bootId;
    if (before === bootId) return;
    this.#host.saveBootId(bootId);
    this.#notice =
      before === null
        ? "This sandbox is new: a machine was started for it, and its /workspace is empty."
        : "The machine was restarted since the last call: what ran in it has ended, and its files start anew.";
  }

  async #hasDied(): Promise<boolean> {
    for (const until = Date.now() + deathNoticeMs; Date.now() < until; ) {
      if (!this.#host.running()) {
        this.#bootId = null;
        return true;
      }
      await scheduler.wait(20);
    }
    return false;
  }
}
