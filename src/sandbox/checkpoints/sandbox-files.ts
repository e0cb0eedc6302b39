// Decides when the files of a sandbox are stored: some time after a change, before the machine sleeps, and when it is shutting
// down.

import { limits } from "../../contract/limits.ts";
import type { RequestOf, ValueOf } from "../../contract/operation.ts";
import type { ProcessSummary } from "../../contract/process.ts";
import type { Result } from "../../contract/result.ts";
import type { MachineObserver } from "../machine/machine-collaborators.ts";
import type { MachineController } from "../machine/machine-controller.ts";
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
  /** Sends requests to the machine when the controller no longer accepts any. */
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
  /** The boot id of the machine whose shutdown is being watched for. */
  #watched: string | null = null;

  constructor(parts: SandboxFilesParts) {
    this.#parts = parts;
    parts.machine.observe(this);
  }

  /** Whether the machine that is up may have files that are not stored. */
  get hasUnstored(): boolean {
    const { machine, changes } = this.#parts;
    return machine.isThere && changes.hasUnstored;
  }

  /** Must be called when a call that may change files begins, and when it ends. */
  recordChange(): void {
    this.#parts.changes.record({ startsPeriod: !this.#isScheduled });
    if (!this.#isScheduled) this.#schedule(this.#parts.afterMs);
  }

  trackProcess(process: ProcessSummary): void {
    this.#parts.processes.trackProcess(process);
  }

  /** Called at the scheduled time: stores the files once changes have paused for a while, or have continued for long. */
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
      // What a process writes is found only by taking a checkpoint.
      else if (this.hasUnstored || processes.list().length > 0) this.#schedule(Math.max(afterMs, cost * IDLE_FACTOR));
    }
  }

  /** Stores the files. Resolves to false when that failed, which the next notice reports. */
  async store(): Promise<boolean> {
    const { machine, changes, keeper } = this.#parts;
    const mark = changes.mark;
    // While a machine is still being prepared, the record holds the processes that its notice has to report as lost.
    if (machine.isThere) await machine.up();
    if (machine.isUp) await this.#refreshProcesses();
    return this.#settle(mark, await keeper.take("automatic", null));
  }

  async beforeMachineStop(): Promise<void> {
    const { changes, processes, state } = this.#parts;
    if (processes.list().length > 0) return;
    if (!changes.hasUnstored) state.cleanStop = this.#watched;
    // Nothing that could still write is running, so the machine need not wait for a last checkpoint.
    await this.#askOrNull("checkpoint-watch", { wait_ms: 0 });
  }

  /** Begins to watch for the shutdown of the machine, and continues until it ends. */
  onMachineUp(bootId: string): void {
    if (this.#watched === bootId) return;
    this.#watched = bootId;
    const { changes, afterMs } = this.#parts;
    if (changes.hasUnstored && !this.#isScheduled) this.#schedule(afterMs);
    void this.#watch(bootId);
  }

  async #watch(bootId: string): Promise<void> {
    while (this.#watched === bootId && this.#parts.platform.isRunning) {
      const answer = await this.#askOrNull("checkpoint-watch", { wait_ms: limits.checkpointWatchMs });
      if (answer === null) await pause(WATCH_RETRY_MS);
      else if (answer.ending) return this.#storeLast(bootId);
    }
  }

  /**
   * The machine is shutting down, because of the platform, Ctrl-C, or a stop by this code while processes ran. They have ended by
   * now.
   */
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
      notices.add(`The files could not be stored (${why}); this is retried while the machine is up.`);
    }
    return false;
  }

  async #refreshProcesses(): Promise<void> {
    const list = await this.#askOrNull("process-list", {});
    if (list !== null) this.#parts.processes.replace(list.processes);
  }

  #schedule(ms: number): void {
    this.#isScheduled = true;
    this.#parts.platform.schedule(ms);
  }

  /** Resolves to null when the machine does not respond. */
  async #askOrNull<Name extends "checkpoint-watch" | "process-list">(
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
/** Looking for changes takes at most one part in this many of the time. */
const IDLE_FACTOR = 20;
