// Decides when the files of a sandbox are stored: at most CHECKPOINT_AFTER after a change, whatever else goes on, before the machine
// sleeps, and when it is shutting down.

import type { CheckpointInfo, CheckpointKind } from "../../contract/checkpoint.ts";
import { limits } from "../../contract/limits.ts";
import type { RequestOf, ValueOf } from "../../contract/operation.ts";
import type { ProcessSummary } from "../../contract/process.ts";
import type { Result } from "../../contract/result.ts";
import type { FilesStatus } from "../admin-actions.ts";
import type { MachineObserver } from "../machine/machine-collaborators.ts";
import type { MachineController } from "../machine/machine-controller.ts";
import type { MachinePlatform } from "../machine/machine-platform.ts";
import type { RunnerClient } from "../machine/runner-client.ts";
import { RunnerFault } from "../machine/runner-fault.ts";
import type { Notices } from "../notices.ts";
import { pause } from "../pause.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import type { CheckpointKeeper } from "./checkpoint-keeper.ts";
import type { CheckpointState } from "./checkpoint-state.ts";
import { RetryBackoff } from "./retry-backoff.ts";
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
  /** Files are stored this long after the first change that is not stored. */
  afterMs: number;
}

export class SandboxFiles implements MachineObserver {
  readonly #parts: SandboxFilesParts;
  readonly #backoff: RetryBackoff;
  /** Epoch milliseconds of the next call of storeWhenDue(); null when none is scheduled. */
  #scheduledAt: number | null = null;
  /** How many checkpoints are being taken or wait for their turn. */
  #storing = 0;
  /** Calls that may change files. */
  #callsInFlight = 0;
  /** Since when processes and calls in flight may have written what no checkpoint has: when the last one or the first of them began. */
  #writingSince = Date.now();
  /** The boot id of the machine whose shutdown is being watched for. */
  #watched: string | null = null;

  constructor(parts: SandboxFilesParts) {
    this.#parts = parts;
    this.#backoff = new RetryBackoff(parts.afterMs);
    parts.machine.observe(this);
    // The Worker was restarted while the machine went on, perhaps with files that are not stored.
    if (parts.platform.isRunning) this.#arm();
  }

  /** Whether the machine that is up may have files that are not stored. */
  get hasUnstored(): boolean {
    const { machine, changes } = this.#parts;
    return machine.isThere && changes.hasUnstored;
  }

  get status(): FilesStatus {
    const { machine, changes } = this.#parts;
    const is_storing = this.#storing > 0;
    return {
      unsaved_since: machine.isThere ? changes.since : null,
      next_at: machine.isThere && !is_storing ? this.#dueAt : null,
      is_storing,
      problem: this.#backoff.problem,
    };
  }

  /** Must be called when a call that may change files begins; the returned function, once, when it ends. */
  beginChange(): () => void {
    this.#watchWriters(() => {
      this.#callsInFlight += 1;
    });
    this.recordChange();
    return () => {
      this.#callsInFlight -= 1;
      this.recordChange();
    };
  }

  recordChange(): void {
    this.#parts.changes.record();
    this.#arm();
  }

  trackProcess(process: ProcessSummary): void {
    this.#watchWriters(() => this.#parts.processes.trackProcess(process));
    this.#arm();
  }

  /** Called at the scheduled time: stores the files if that is due. */
  async storeWhenDue(): Promise<void> {
    this.#scheduledAt = null;
    if (!this.#parts.machine.isThere || this.#storing > 0) return;
    const dueAt = this.#dueAt;
    if (dueAt === null || dueAt - Date.now() > SCHEDULE_GRAIN_MS) return this.#arm();
    await this.store();
  }

  /** Stores the files. Resolves to false when that failed, which a notice reports. */
  store(): Promise<boolean> {
    const { machine, keeper } = this.#parts;
    return this.#storeWith(async () => {
      // While a machine is still being prepared, the record holds the processes that its notice has to report as lost.
      if (machine.isThere) await machine.up();
      if (machine.isUp) await this.#refreshProcesses();
      return keeper.take("automatic", null);
    });
  }

  /** Takes a checkpoint for a caller, who is told when it fails. */
  async take(kind: CheckpointKind, name: string | null): Promise<Result<CheckpointInfo>> {
    const { changes, keeper } = this.#parts;
    const mark = changes.mark;
    const taken = await keeper.take(kind, name);
    if (taken.ok) this.#markStored(mark);
    return taken;
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
    this.#arm();
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
    const { machine, keeper, state } = this.#parts;
    void machine.markStopping();
    if (await this.#storeWith(() => keeper.takeLast())) state.cleanStop = bootId;
  }

  async #storeWith(take: () => Promise<Result<unknown>>): Promise<boolean> {
    const { changes, keeper } = this.#parts;
    const mark = changes.mark;
    const startedAt = Date.now();
    this.#storing += 1;
    let isStored = false;
    let reason = "an internal error";
    try {
      const stored = await take();
      isStored = stored.ok;
      if (!stored.ok) reason = keeper.problem ?? stored.failure.reason;
    } finally {
      this.#storing -= 1;
      if (isStored) this.#writingSince = startedAt;
      if (isStored) this.#markStored(mark);
      else this.#recordFailure(reason);
      this.#arm();
    }
    return isStored;
  }

  #markStored(mark: number): void {
    this.#parts.changes.markStored(mark);
    this.#backoff.succeed();
  }

  #recordFailure(reason: string): void {
    const notice = this.#backoff.fail(reason);
    if (notice !== null) this.#parts.notices.add(notice);
  }

  async #refreshProcesses(): Promise<void> {
    const list = await Promise.race([this.#askOrNull("process-list", {}), pause(PROCESS_LIST_MS).then(() => null)]);
    if (list !== null) this.#parts.processes.replace(list.processes);
  }

  /** When the files should be stored next, in epoch milliseconds; null when nothing can have changed. */
  get #dueAt(): number | null {
    const { changes, afterMs } = this.#parts;
    const { retryAt } = this.#backoff;
    if (retryAt !== null) return retryAt;
    // What is written without the end of a call is found only by taking a checkpoint.
    const from = [changes.since, this.#hasWriters ? this.#writingSince : null].filter((time) => time !== null);
    return from.length === 0 ? null : Math.min(...from) + afterMs;
  }

  get #hasWriters(): boolean {
    return this.#callsInFlight > 0 || this.#parts.processes.list().length > 0;
  }

  /** `change` adds or removes something that writes. */
  #watchWriters(change: () => void): void {
    const hadWriters = this.#hasWriters;
    change();
    if (!hadWriters && this.#hasWriters) this.#writingSince = Date.now();
  }

  /** Schedules the next checkpoint, unless that was done and its time has not passed without a call. */
  #arm(): void {
    const dueAt = this.#dueAt;
    if (dueAt === null || this.#storing > 0) return;
    const now = Date.now();
    const at = Math.max(dueAt, now);
    const isArmed = this.#scheduledAt !== null && this.#scheduledAt <= at && this.#scheduledAt > now - SCHEDULE_LATE_MS;
    if (isArmed) return;
    this.#scheduledAt = at;
    this.#parts.platform.schedule(at - now);
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
      if (!(error instanceof RunnerFault)) throw error;
      return null;
    }
  }
}

/** The platform schedules in whole seconds. */
const SCHEDULE_GRAIN_MS = 1_000;
/** After this, a scheduled call counts as lost. */
const SCHEDULE_LATE_MS = 5_000;
const WATCH_RETRY_MS = 500;
/** A list that takes longer must not hold up the checkpoint; the processes known before count instead. */
const PROCESS_LIST_MS = 5_000;
