// Takes, lists, compares, restores, forks and deletes the checkpoints of one sandbox, one at a time. prepare-machine.ts gives a
// new machine its files.

import type {
  CheckpointDeleted,
  CheckpointDiff,
  CheckpointDiffRequest,
  CheckpointInfo,
  CheckpointKind,
  CheckpointList,
  CheckpointRestored,
  CheckpointSummary,
} from "../../contract/checkpoint.ts";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { truncate } from "../../format/truncate.ts";
import type { MachineController } from "../machine/machine-controller.ts";
import type { SandboxRecord } from "../storage/sandbox-record.ts";
import { asFailure, asFailureInTime } from "./as-failure.ts";
import type { Fork, StoredCheckpoint } from "./checkpoint-actions.ts";
import { type CheckpointRow, infoOf } from "./checkpoint-index.ts";
import { compareCheckpoints } from "./compare-checkpoints.ts";
import { damagedFailure, restoreFiles } from "./restore-files.ts";
import { dropSurplus, newCheckpointId, sweep } from "./retention.ts";
import { type CheckpointStorage, confirmFiles, type StoredFiles, storeFiles } from "./store-files.ts";
import { TaskQueue } from "./task-queue.ts";

interface CheckpointKeeperParts {
  storage: CheckpointStorage;
  machine: MachineController;
  record: SandboxRecord;
}

export class CheckpointKeeper {
  readonly #storage: CheckpointStorage;
  readonly #machine: MachineController;
  readonly #record: SandboxRecord;
  readonly #queue = new TaskQueue();
  #problem: string | null = null;

  constructor({ storage, machine, record }: CheckpointKeeperParts) {
    this.#storage = storage;
    this.#machine = machine;
    this.#record = record;
  }

  /** Why the last attempt to store the files failed; null when it succeeded. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Takes a checkpoint. When nothing changed, an automatic one is not added, and the newest is returned instead. */
  take(kind: CheckpointKind, name: string | null): Promise<Result<CheckpointInfo>> {
    return this.#queue.run(() => this.#take(kind, name));
  }

  /** Takes an automatic checkpoint of a machine that is ending, without starting another. */
  takeLast(): Promise<Result<CheckpointInfo>> {
    return this.#queue.run(() => this.#takeFromMachine("automatic", null));
  }

  list(): CheckpointList {
    return { checkpoints: this.#storage.index.list({ damaged: true }).map(infoOf), ...this.#quota() };
  }

  /** `dirty` means that the machine may have files that are not stored. */
  summary(dirty: boolean): CheckpointSummary {
    const { index } = this.#storage;
    const newest = index.newest();
    const count = index.list({ damaged: true }).length;
    return { count, newest: newest === null ? null : infoOf(newest), dirty, problem: this.#problem, ...this.#quota() };
  }

  /** What another sandbox needs to compare its files with a checkpoint of this one. */
  describe(checkpoint: string): Result<StoredCheckpoint> {
    const { index } = this.#storage;
    const row = index.find(checkpoint);
    return row === null ? unknown(checkpoint) : succeed({ checkpoint: row, layers: index.chain(row.layer) });
  }

  /** `others` are checkpoints of other sandboxes, which the request may name by their ids. */
  diff(
    { from, to, path }: CheckpointDiffRequest,
    others: readonly StoredCheckpoint[] = [],
  ): Promise<Result<CheckpointDiff>> {
    const find = (name: string): StoredCheckpoint | null => {
      const own = this.describe(name);
      return own.ok ? own.value : (others.find(({ checkpoint }) => checkpoint.id === name) ?? null);
    };
    return this.#queue.run(async () => {
      const [before, after] = [find(from), to === null ? null : find(to)];
      if (before === null) return unknown(from);
      if (to !== null && after === null) return unknown(to);
      const up = await this.#machine.up();
      if (!up.ok) return up;
      return asFailureInTime(() => compareCheckpoints(this.#storage, this.#machine, { from: before, to: after, path }));
    });
  }

  restore(checkpoint: string): Promise<Result<CheckpointRestored>> {
    return this.#queue.run(async () => {
      const wanted = this.#storage.index.find(checkpoint);
      if (wanted === null) return unknown(checkpoint);
      const before = await this.#take("before-restore", null);
      if (!before.ok) return before;
      const inMachine = this.#machine.isThere;
      if (inMachine) {
        const placed = await asFailureInTime(() => restoreFiles(this.#storage, this.#machine, wanted));
        if (!placed.ok) return placed;
        if ("damaged" in placed.value) return damagedFailure(wanted.id, placed.value.why);
      }
      // The restored state becomes the newest checkpoint, because the next machine starts from that.
      this.#add({ ...wanted, ...nothingNew, kind: "automatic", name: null, created_at: Date.now() });
      return succeed({ restored: infoOf(wanted), before: before.value, in_machine: inMachine });
    });
  }

  /**
   * Shares the layers that another sandbox will start from; null means the current files. The checkpoints that were named until
   * then come with it. If the other sandbox refuses, unfork() undoes it.
   */
  fork(checkpoint: string | null): Promise<Result<Fork>> {
    return this.#queue.run(async () => {
      const { index, layers } = this.#storage;
      const now = checkpoint === null ? await this.#take("automatic", null) : null;
      if (now !== null && !now.ok) return now;
      const source = checkpoint === null ? index.newest() : index.find(checkpoint);
      if (source === null) return unknown(checkpoint ?? "");
      const mark = crypto.randomUUID();
      const named = index.namedUntil(source.id);
      const shared = new Map([source, ...named].flatMap(({ layer }) => index.chain(layer)).map((row) => [row.id, row]));
      return asFailure(async () => {
        for (const layer of shared.values()) {
          index.markShared(layer.id);
          await layers.share(layer, mark);
        }
        return succeed({
          layers: [...shared.values()].map((layer) => ({ ...layer, shared: 1, mark })),
          checkpoint: source,
          named,
        });
      });
    });
  }

  unfork({ layers }: Fork): Promise<Result<Record<string, never>>> {
    return this.#queue.run(() =>
      asFailure(async () => {
        for (const layer of layers) await this.#storage.layers.unshare(layer, layer.mark);
        return succeed({});
      }),
    );
  }

  /**
   * Makes the checkpoint of another sandbox the one that this sandbox starts from. The named ones keep their ids, by which the
   * other sandbox knows them.
   */
  adopt({ layers, checkpoint, named }: Fork): CheckpointInfo {
    const { index } = this.#storage;
    for (const layer of layers) index.adopt(layer);
    for (const row of named) index.add({ ...row, bytes: 0 });
    return this.#add({ ...checkpoint, ...nothingNew, kind: "automatic", name: null });
  }

  delete(checkpoint: string): Promise<Result<CheckpointDeleted>> {
    return this.#queue.run(async () => {
      const { index, layers } = this.#storage;
      const row = index.find(checkpoint);
      if (row === null) return unknown(checkpoint);
      index.remove(row.id);
      return succeed({ deleted: infoOf(row), freed_bytes: await sweep(index, layers) });
    });
  }

  deleteAll(): Promise<Result<{ freed_bytes: number }>> {
    return this.#queue.run(async () => {
      const { index, layers } = this.#storage;
      for (const { id } of index.list({ damaged: true })) index.remove(id);
      return succeed({ freed_bytes: await sweep(index, layers) });
    });
  }

  async #take(kind: CheckpointKind, name: string | null): Promise<Result<CheckpointInfo>> {
    if (name !== null && this.#storage.index.usedBytes() > limits.checkpointsQuotaBytes) {
      return fail({ reason: "checkpoints_full", ...this.#quota() });
    }
    // Without a machine, the newest checkpoint is the current state only if the last machine ended with everything stored.
    // Otherwise a new machine has to start, whose notice says what was lost.
    const endedCleanly = this.#storage.state.cleanStop === this.#record.bootId;
    if (!this.#machine.isThere && endedCleanly) return this.#repeatNewest(kind, name);
    const up = await this.#machine.up();
    return up.ok ? this.#takeFromMachine(kind, name) : up;
  }

  async #takeFromMachine(kind: CheckpointKind, name: string | null): Promise<Result<CheckpointInfo>> {
    const stored = await asFailureInTime(() => storeFiles(this.#storage, this.#machine));
    this.#problem = stored.ok ? null : problemOf(stored.failure);
    if (!stored.ok) return stored;
    if (!stored.value.isNew) return this.#repeatNewest(kind, name);
    const { layer } = stored.value;
    const info = this.#addStored(kind, name, stored.value);
    await asFailureInTime(async () => succeed(await confirmFiles(this.#storage, this.#machine, layer)));
    dropSurplus(this.#storage.index, Date.now());
    await sweep(this.#storage.index, this.#storage.layers);
    return succeed(info);
  }

  #addStored(kind: CheckpointKind, name: string | null, { layer, made }: StoredFiles): CheckpointInfo {
    const { files, added, changed, removed, archive } = made;
    this.#storage.index.confirm(layer);
    const created_at = Date.now();
    return this.#add({ kind, name, created_at, layer, files, added, changed, removed, bytes: archive?.bytes ?? 0 });
  }

  /** Handles a checkpoint of unchanged files: returns the newest one, or adds one with the same layer. */
  #repeatNewest(kind: CheckpointKind, name: string | null): Result<CheckpointInfo> {
    const newest = this.#storage.index.newest();
    if (newest === null) {
      return fail({
        reason: "checkpoint_failed",
        message: "the sandbox has not been used, so there is nothing to store",
      });
    }
    if (kind === "automatic") return succeed(infoOf(newest));
    return succeed(this.#add({ ...newest, ...nothingNew, kind, name, created_at: Date.now() }));
  }

  #add(row: Omit<CheckpointRow, "id">): CheckpointInfo {
    const { index } = this.#storage;
    const complete = { ...row, id: newCheckpointId(index) };
    index.add(complete);
    return infoOf(complete);
  }

  #quota(): { used_bytes: number; quota_bytes: number } {
    return { used_bytes: this.#storage.index.usedBytes(), quota_bytes: limits.checkpointsQuotaBytes };
  }
}

/** The counts of a checkpoint whose layer an earlier checkpoint already has. */
const nothingNew = { bytes: 0, added: 0, changed: 0, removed: 0 };

const problemOf = (failure: { reason: string; message?: string }): string =>
  truncate(failure.message ?? failure.reason, PROBLEM_CHARS);

/** The machine may have worded it. */
const PROBLEM_CHARS = 500;

const unknown = (name: string): Result<never> => fail({ reason: "not_found", kind: "checkpoint", name });
