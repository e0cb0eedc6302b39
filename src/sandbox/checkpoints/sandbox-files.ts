// The files of a sandbox across its machines: when they are stored, that a new machine has them before anything else happens, and
// what a caller is told about it.

import type { InfoResult } from "../../contract/info.ts";
import { limits } from "../../contract/limits.ts";
import type { OperationName } from "../../contract/operation.ts";
import type { ProcessSummary } from "../../contract/process.ts";
import { type Result, succeed } from "../../contract/result.ts";
import type { Machine } from "../machine/machine-controller.ts";
import { askRunner, type RunnerPort } from "../machine/runner-client.ts";
import { CheckpointIndex } from "./checkpoint-index.ts";
import { CheckpointKeeper } from "./checkpoint-keeper.ts";
import { LayerStore } from "./layer-store.ts";
import { restartNotice } from "./restart-notice.ts";
import { RunningProcesses } from "./running-processes.ts";

export interface SandboxFilesHost {
  storage: DurableObjectStorage;
  bucket: R2Bucket;
  /** Of the Durable Object. */
  objectId: string;
  machine(): Machine;
  /** Whether the platform runs a machine, even one on its way out. */
  running(): boolean;
  port(): RunnerPort;
  /** Calls `due` after so long, also when the object was made anew meanwhile. */
  schedule(ms: number): void;
  afterMs: number;
  /** Adds to the notice that is due. */
  announce(text: string): void;
  /** Absolute paths kept beside the workspace and the home directory. */
  more: readonly string[];
}

export class SandboxFiles {
  readonly keeper: CheckpointKeeper;
  readonly #host: SandboxFilesHost;
  readonly #processes: RunningProcesses;
  /** Rises with every change; what was stored is what it was then. Of an earlier object's time nothing is known. */
  #changes = 1;
  #storedChanges = 0;
  #firstChangeAt = Date.now();
  #lastChangeAt = Date.now();
  #isScheduled = false;
  #failures = 0;
  #watched: string | null = null;

  constructor(host: SandboxFilesHost) {
    this.#host = host;
    this.#processes = new RunningProcesses(host.storage.kv);
    const { kv, sql } = host.storage;
    const machine = {
      port: host.port,
      ask: <Name extends OperationName>(name: Name, request: Parameters<Machine["ask"]>[1]) =>
        host.machine().ask(name, request as never, null),
    };
    this.keeper = new CheckpointKeeper({
      host: {
        ...machine,
        running: () => host.machine().isThere,
        endedWhole: () => this.#endedWhole(),
        up: () => host.machine().up(),
      },
      index: new CheckpointIndex(sql),
      layers: new LayerStore(host.bucket, host.objectId),
      more: host.more,
      anchor: () => kv.get<string>(ANCHOR) ?? null,
      setAnchor: (layer) => kv.put(ANCHOR, layer),
    });
  }

  /** The machine that is up may have files which are not stored. */
  get dirty(): boolean {
    return this.#host.machine().isThere && this.#changes !== this.#storedChanges;
  }

  /** A call that may change files has come, or has ended. */
  changed(): void {
    this.#lastChangeAt = Date.now();
    if (this.#changes === this.#storedChanges || !this.#isScheduled) this.#firstChangeAt = this.#lastChangeAt;
    this.#changes += 1;
    if (!this.#isScheduled) this.#schedule(this.#host.afterMs);
  }

  /** What an answer said of a process. */
  saw(process: ProcessSummary): void {
    this.#processes.note(process);
  }

  /** Some time after a change: stores it once it is over, or has gone on for long. */
  async due(): Promise<void> {
    this.#isScheduled = false;
    if (!this.#host.machine().isThere) return;
    const { afterMs } = this.#host;
    const quietAt = this.#lastChangeAt + afterMs;
    const latestAt = this.#firstChangeAt + afterMs * limits.checkpointMaxDelayFactor;
    const wait = Math.min(quietAt, latestAt) - Date.now();
    if (wait > SCHEDULE_GRAIN_MS) return this.#schedule(wait);
    const startedAt = Date.now();
    const stored = await this.store();
    const cost = Date.now() - startedAt;
    if (!stored) this.#schedule(Math.min(afterMs * 2 ** this.#failures, limits.checkpointRetryMaxMs));
    // What a process writes is seen only by looking.
    else if (this.dirty || this.#processes.list().length > 0) this.#schedule(Math.max(afterMs, cost * IDLE_FACTOR));
  }

  /** False when it failed; the next notice says so. */
  async store(): Promise<boolean> {
    const { changes } = this.#begin();
    await this.#lookAtProcesses();
    return this.#end(changes, await this.keeper.take("automatic", null));
  }

  /** Before a machine is stopped. The last word on its files is `leave`. */
  beforeSleep(): Promise<boolean> {
    return this.store();
  }

  /** The machine is about to be told to end, and no call will reach it. */
  async leave(): Promise<void> {
    if (this.#processes.list().length > 0) return;
    if (this.#changes === this.#storedChanges) this.#host.storage.kv.put(WHOLE, this.#watched);
    // Nothing runs that could still write: the machine need not wait for a last checkpoint.
    await this.#askQuietly("checkpoint-watch", { wait_ms: 0 });
  }

  async prepare(info: InfoResult, isFirst: boolean): Promise<Result<string>> {
    const machine = {
      port: this.#host.port,
      ask: async <Name extends OperationName>(name: Name, request: never) =>
        askRunner(this.#host.port(), name, request),
    };
    const files = await this.keeper.prepare(info, machine);
    if (!files.ok) {
      const message = `its files could not be restored (${"message" in files.failure ? files.failure.message : files.failure.reason})`;
      return { ok: false, failure: { reason: "machine_unavailable", message, retry_after_ms: 5_000 } };
    }
    const processes = this.#processes.list();
    const isWhole = this.#endedWhole();
    const notice = restartNotice({ isFirst, isWhole, files: files.value, processes, now: Date.now() });
    this.#processes.replace([]);
    this.#storedChanges = this.#changes;
    return succeed(notice);
  }

  /** Begins to listen for the end of the machine, for as long as it lives. */
  met(bootId: string): void {
    if (this.#watched === bootId) return;
    this.#watched = bootId;
    if (this.#changes !== this.#storedChanges && !this.#isScheduled) this.#schedule(this.#host.afterMs);
    void this.#watch(bootId);
  }

  async #watch(bootId: string): Promise<void> {
    while (this.#watched === bootId && this.#host.running()) {
      const answer = await this.#askQuietly("checkpoint-watch", { wait_ms: limits.checkpointWatchMs });
      if (answer === null) await scheduler.wait(WATCH_RETRY_MS);
      else if (answer.ending) return this.#storeLast(bootId);
    }
  }

  /** The machine was told to end: by the platform, by Ctrl-C, or by us while processes ran. They have ended by now. */
  async #storeLast(bootId: string): Promise<void> {
    const { changes } = this.#begin();
    void this.#host.machine().seeOff();
    if (this.#end(changes, await this.keeper.takeLast())) this.#host.storage.kv.put(WHOLE, bootId);
  }

  #endedWhole(): boolean {
    const { kv } = this.#host.storage;
    return kv.get<string>(WHOLE) === kv.get<string>("boot_id");
  }

  #begin(): { changes: number } {
    return { changes: this.#changes };
  }

  #end(changes: number, stored: Result<unknown>): boolean {
    if (stored.ok) {
      this.#storedChanges = changes;
      this.#firstChangeAt = Date.now();
      this.#failures = 0;
      return true;
    }
    this.#failures += 1;
    if (this.#failures === 1) {
      const why = this.keeper.problem ?? stored.failure.reason;
      this.#host.announce(`The files could not be stored (${why}); it is tried again while the machine is up.`);
    }
    return false;
  }

  async #lookAtProcesses(): Promise<void> {
    const list = await this.#askQuietly("process-list", {});
    if (list !== null) this.#processes.replace(list.processes);
  }

  #schedule(ms: number): void {
    this.#isScheduled = true;
    this.#host.schedule(ms);
  }

  /** Null where no answer comes. */
  async #askQuietly<Name extends "checkpoint-watch" | "process-list">(
    name: Name,
    request: Parameters<typeof askRunner<Name>>[2],
  ) {
    try {
      const result = await askRunner(this.#host.port(), name, request);
      return result.ok ? result.value : null;
    } catch {
      return null;
    }
  }
}

const ANCHOR = "checkpoint_anchor";
/** The machine that ended with everything stored. */
const WHOLE = "checkpoint_whole";
/** Schedules are in whole seconds. */
const SCHEDULE_GRAIN_MS = 1_000;
const WATCH_RETRY_MS = 500;
/** Looking takes at most this part of the time. */
const IDLE_FACTOR = 20;
