// When the files of a sandbox are stored: some time after a change, before the machine sleeps, and when it is told to end.

import { limits } from "../../contract/limits.ts";
import type { RequestOf, ValueOf } from "../../contract/operation.ts";
import type { ProcessSummary } from "../../contract/process.ts";
import type { Result } from "../../contract/result.ts";
import type { MachineController, MachineObserver } from "../machine/machine-controller.ts";
import type { MachinePlatform } from "../machine/machine-platform.ts";
import { type RunnerClient, RunnerUnreachable } from "../machine/runner-client.ts";
import type { Notices } from "../notices.ts";
import { pause } from "../pause.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import type { CheckpointKeeper } from "./checkpoint-keeper.ts";
import type { CheckpointState } from "./checkpoint-state.ts";
import type { RunningProcesses } from "./running-processes.ts";

interface SandboxFilesParts {
  platform: MachinePlatform;
  machine: MachineController;
  /** Asks the machine while the controller no longer does. */
  runner: RunnerClient;
  keeper: CheckpointKeeper;
  changes: ChangeTracker;
  processes: RunningProcesses;
  state: CheckpointState;
  notices: Notices;
  /** Files are stored this long after the last change to them. */
  afterMs: number;
}

export class SandboxFiles implements MachineObserver {
  readonly #parts: SandboxFilesParts;
  #isScheduled = false;
  #failures = 0;
  /** The boot id of the machine whose end is watched for. */
  #watched: string | null = null;

  constructor(parts: SandboxFilesParts) {
    this.#parts = parts;
    parts.machine.observe(this);
  }

  /** The machine that is up may have files that are not stored. */
  get hasUnstored(): boolean {
    const { machine, changes } = this.#parts;
    return machine.isThere && changes.hasUnstored;
  }

  /** To be called when a call that may change files begins, and when it ends. */
  recordChange(): void {
    this.#parts.changes.record({ startsPeriod: !this.#isScheduled });
    if (!this.#isScheduled) this.#schedule(this.#parts.afterMs);
  }

  trackProcess(process: ProcessSummary): void {
    this.#parts.processes.trackProcess(process);
  }

  /** Called at the scheduled time: stores the files once changes have stopped for a while, or have gone on for long. */
  async storeWhenDue(): Promise<void> {
    const { machine, changes, processes, afterMs } = this.#parts;
    this.#isScheduled = false;
    if (!machine.isThere) return;
    const quietAt = changes.lastAt + afterMs;
    const latestAt = changes.firstAt + afterMs * limits.checkpointMaxDelayFactor;
    const wait = Math.min(quietAt, latestAt) - Date.now();
    if (wait > SCHEDULE_GRAIN_MS) return this.#schedule(wait);
    const startedAt = Date.now();
    let isStored = false;
    try {
      isStored = await this.store();
    } finally {
      const cost = Date.now() - startedAt;
      if (!isStored) this.#schedule(Math.min(afterMs * 2 ** Math.max(1, this.#failures), limits.checkpointRetryMaxMs));
      // What a process writes shows only when a checkpoint is taken.
      else if (this.hasUnstored || processes.list().length > 0) this.#schedule(Math.max(afterMs, cost * IDLE_FACTOR));
    }
  }

  /** Stores the files. False when that failed, which the next notice says. */
  async store(): Promise<boolean> {
    const { machine, changes, keeper } = this.#parts;
    const mark = changes.mark;
    // A machine that is still being prepared knows nothing of the processes whose loss its notice has to name.
    if (machine.isThere) await machine.up();
    if (machine.isUp) await this.#refreshProcesses();
    return this.#settle(mark, await keeper.take("automatic", null));
  }

  async beforeMachineStop(): Promise<void> {
    const { changes, processes, state } = this.#parts;
    if (processes.list().length > 0) return;
    if (!changes.hasUnstored) state.cleanStop = this.#watched;
    // Nothing runs that could still write, so the machine need not wait for a last checkpoint.
    await this.#askQuietly("checkpoint-watch", { wait_ms: 0 });
  }

  /** Begins to watch for the end of the machine, which lasts as long as the machine. */
  onMachineUp(bootId: string): void {
    if (this.#watched === bootId) return;
    this.#watched = bootId;
    const { changes, afterMs } = this.#parts;
    if (changes.hasUnstored && !this.#isScheduled) this.#schedule(afterMs);
    void this.#watch(bootId);
  }

  async #watch(bootId: string): Promise<void> {
    while (this.#watched === bootId && this.#parts.platform.isRunning) {
      const answer = await this.#askQuietly("checkpoint-watch", { wait_ms: limits.checkpointWatchMs });
      if (answer === null) await pause(WATCH_RETRY_MS);
      else if (answer.ending) return this.#storeLast(bootId);
    }
  }

  /** The machine was told to end: by the platform, by Ctrl-C, or by us while processes ran. The processes have ended by now. */
  async #storeLast(bootId: string): Promise<void> {
    const { machine, keeper, changes, state } = this.#parts;
    const mark = changes.mark;
    void machine.markStopping();
    if (this.#settle(mark, await keeper.takeLast())) state.cleanStop = bootId;
  }

  #settle(mark: number, stored: Result<unknown>): boolean {
    const { changes, keeper, notices } = this.#parts;
    if (stored.ok) {
      changes.markStored(mark);
      this.#failures = 0;
      return true;
    }
    this.#failures += 1;
    if (this.#failures === 1) {
      const why = keeper.problem ?? stored.failure.reason;
      notices.add(`The files could not be stored (${why}); it is tried again while the machine is up.`);
    }
    return false;
  }

  async #refreshProcesses(): Promise<void> {
    const list = await this.#askQuietly("process-list", {});
    if (list !== null) this.#parts.processes.replace(list.processes);
  }

  #schedule(ms: number): void {
    this.#isScheduled = true;
    this.#parts.platform.schedule(ms);
  }

  /** Null when the machine does not answer. */
  async #askQuietly<Name extends "checkpoint-watch" | "process-list">(
    name: Name,
    request: RequestOf<Name>,
  ): Promise<ValueOf<Name> | null> {
    try {
      const result = await this.#parts.runner.ask(name, request);
      return result.ok ? result.value : null;
    } catch (error) {
      if (!(error instanceof RunnerUnreachable)) throw error;
      return null;
    }
  }
}

/** The platform schedules in whole seconds. */
const SCHEDULE_GRAIN_MS = 1_000;
const WATCH_RETRY_MS = 500;
/** Looking for changes takes at most this part of the time. */
const IDLE_FACTOR = 20;
