// Keeps the checkpoints of one sandbox: takes, lists, restores, forks and deletes them, one at a time.

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
import type { InfoResult } from "../../contract/info.ts";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { formatDuration } from "../../format/format-duration.ts";
import type { Fork } from "./checkpoint-actions.ts";
import type { CheckpointIndex, CheckpointRow } from "./checkpoint-index.ts";
import { compareCheckpoints } from "./compare-checkpoints.ts";
import { damagedFailure, restoreSurely } from "./restore-files.ts";
import { dropSurplus, newCheckpointId, sweep } from "./retention.ts";
import { confirmFiles, type FileStore, type StoredFiles, storeFiles } from "./store-files.ts";
import { Queue } from "./task-queue.ts";

/** How a machine came by its files. */
export interface FilesCameBack {
  /** Null where nothing was ever stored. */
  checkpoint: CheckpointInfo | null;
  /** The newer ones that could not be used. */
  damaged: { id: string; why: string }[];
  differing: number;
  trouble: string;
}

export class CheckpointKeeper {
  readonly #store: FileStore;
  readonly #index: CheckpointIndex;
  readonly #queue = new Queue();
  /** Why the last attempt failed. */
  problem: string | null = null;

  constructor(store: FileStore) {
    this.#store = store;
    this.#index = store.index;
  }

  newest(): CheckpointRow | null {
    return this.#index.newest();
  }

  /** An automatic one is made only where something changed; else the newest is answered. */
  take(kind: CheckpointKind, name: string | null): Promise<Result<CheckpointInfo>> {
    return this.#queue.run(() => this.#take(kind, name));
  }

  /** The same of a machine that is on its way out. */
  takeLast(): Promise<Result<CheckpointInfo>> {
    return this.#queue.run(() => this.#takeFromMachine("automatic", null));
  }

  list(): CheckpointList {
    return { checkpoints: this.#index.list({ damaged: true }).map(infoOf), ...this.#quota() };
  }

  summary(dirty: boolean): CheckpointSummary {
    const newest = this.#index.newest();
    const count = this.#index.list({ damaged: true }).length;
    return { count, newest: newest === null ? null : infoOf(newest), dirty, problem: this.problem, ...this.#quota() };
  }

  diff({ from, to, path }: CheckpointDiffRequest): Promise<Result<CheckpointDiff>> {
    return this.#queue.run(async () => {
      const [before, after] = [this.#index.find(from), to === null ? null : this.#index.find(to)];
      if (before === null) return unknown(from);
      if (to !== null && after === null) return unknown(to);
      const up = await this.#store.host.up();
      return up.ok ? this.#guard(() => compareCheckpoints(this.#store, { from: before, to: after, path })) : up;
    });
  }

  restore(checkpoint: string): Promise<Result<CheckpointRestored>> {
    return this.#queue.run(async () => {
      const wanted = this.#index.find(checkpoint);
      if (wanted === null) return unknown(checkpoint);
      const before = await this.#take("before-restore", null);
      if (!before.ok) return before;
      const inMachine = this.#store.host.running();
      if (inMachine) {
        const placed = await this.#guard(() => restoreSurely(this.#store, wanted));
        if (!placed.ok) return placed;
        if ("damaged" in placed.value) return damagedFailure(wanted.id, placed.value.why);
        this.#store.setAnchor(wanted.layer);
      }
      // The newest is what the next machine starts from.
      this.#add({ ...wanted, ...nothingNew, kind: "automatic", name: null, created_at: Date.now() });
      return succeed({ restored: infoOf(wanted), before: before.value, in_machine: inMachine });
    });
  }

  /** Hands out what another sandbox is to start from; null is the state of now. `unfork` when that comes to nothing. */
  fork(checkpoint: string | null): Promise<Result<Fork>> {
    return this.#queue.run(async () => {
      const now = checkpoint === null ? await this.#take("automatic", null) : null;
      if (now !== null && !now.ok) return now;
      const source = checkpoint === null ? this.#index.newest() : this.#index.find(checkpoint);
      if (source === null) return unknown(checkpoint ?? "");
      const mark = crypto.randomUUID();
      const layers = this.#index.chain(source.layer);
      for (const layer of layers) {
        this.#index.markShared(layer.id);
        await this.#store.layers.share(layer, mark);
      }
      return succeed({ layers: layers.map((layer) => ({ ...layer, shared: 1, mark })), checkpoint: source });
    });
  }

  unfork({ layers }: Fork): Promise<void> {
    return this.#queue.run(async () => {
      for (const layer of layers) await this.#store.layers.unshare(layer, layer.mark);
    });
  }

  /** The first thing that a forked sandbox is told. */
  adopt({ layers, checkpoint }: Fork): CheckpointInfo {
    for (const layer of layers) this.#index.adopt(layer);
    return this.#add({ ...checkpoint, ...nothingNew, kind: "automatic", name: null });
  }

  delete(checkpoint: string): Promise<Result<CheckpointDeleted>> {
    return this.#queue.run(async () => {
      const row = this.#index.find(checkpoint);
      if (row === null) return unknown(checkpoint);
      this.#index.remove(row.id);
      return succeed({ deleted: infoOf(row), freed_bytes: await sweep(this.#index, this.#store.layers) });
    });
  }

  deleteAll(): Promise<Result<{ freed_bytes: number }>> {
    return this.#queue.run(async () => {
      for (const { id } of this.#index.list({ damaged: true })) this.#index.remove(id);
      return succeed({ freed_bytes: await sweep(this.#index, this.#store.layers) });
    });
  }

  /**
   * Gives a machine that has just come up its files, before any command: those of the newest checkpoint that is sound. A failure leaves
   * the machine without them, and so not to be used.
   */
  async prepare(info: InfoResult, host: Pick<FileStore["host"], "port" | "ask">): Promise<Result<FilesCameBack>> {
    const came: FilesCameBack = { checkpoint: null, damaged: [], differing: 0, trouble: "" };
    for (let newest = this.#index.newest(); newest !== null; newest = this.#index.newest()) {
      if (info.restored === newest.layer) return succeed({ ...came, checkpoint: infoOf(newest) });
      const placed = await restoreSurely({ ...this.#store, host }, newest);
      if (!placed.ok) return placed;
      if ("damaged" in placed.value) {
        came.damaged.push({ id: newest.id, why: placed.value.why });
        this.#index.markDamaged(placed.value.damaged);
        continue;
      }
      this.#store.setAnchor(newest.layer);
      const { differing, trouble } = placed.value;
      return succeed({ ...came, checkpoint: infoOf(newest), differing, trouble });
    }
    if (this.#index.list({ damaged: true }).length === 0) return succeed(came);
    return fail({
      reason: "checkpoint_failed",
      message: "none of its checkpoints can be used; destroy the sandbox with_checkpoints: true to begin anew",
    });
  }

  async #take(kind: CheckpointKind, name: string | null): Promise<Result<CheckpointInfo>> {
    if (name !== null && this.#index.usedBytes() > limits.checkpointsQuotaBytes) {
      return fail({ reason: "checkpoints_full", ...this.#quota() });
    }
    const { host } = this.#store;
    // After a machine that went without a word another one has to come up: its notice says what is lost.
    if (!host.running() && host.endedWhole()) return this.#again(kind, name);
    const up = await host.up();
    return up.ok ? this.#takeFromMachine(kind, name) : up;
  }

  async #takeFromMachine(kind: CheckpointKind, name: string | null): Promise<Result<CheckpointInfo>> {
    const stored = await this.#guard(() => storeFiles(this.#store));
    this.problem = stored.ok ? null : problemOf(stored.failure);
    if (!stored.ok) return stored;
    if (!stored.value.isNew) return this.#again(kind, name);
    const info = this.#record(kind, name, stored.value);
    await confirmFiles(this.#store, stored.value.layer);
    dropSurplus(this.#index);
    await sweep(this.#index, this.#store.layers);
    return succeed(info);
  }

  #record(kind: CheckpointKind, name: string | null, { layer, made }: StoredFiles): CheckpointInfo {
    const { files, added, changed, removed, archive } = made;
    this.#index.confirm(layer);
    const created_at = Date.now();
    return this.#add({ kind, name, created_at, layer, files, added, changed, removed, bytes: archive?.bytes ?? 0 });
  }

  /** Nothing changed since the newest one. */
  #again(kind: CheckpointKind, name: string | null): Result<CheckpointInfo> {
    const newest = this.#index.newest();
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
    const whole = { ...row, id: newCheckpointId((id) => this.#index.find(id)) };
    this.#index.add(whole);
    return infoOf(whole);
  }

  /** A machine that goes away meanwhile is a foreseeable fault; one that says nothing any more must not hold up all that follows. */
  async #guard<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
    const late = Promise.withResolvers<Result<never>>();
    const timer = setTimeout(() => late.resolve(tooLate), limits.checkpointMaxMs);
    try {
      return await Promise.race([work(), late.promise]);
    } catch (error) {
      console.error(error);
      return fail({ reason: "checkpoint_failed", message: "the machine went away meanwhile" });
    } finally {
      clearTimeout(timer);
    }
  }

  #quota(): { used_bytes: number; quota_bytes: number } {
    return { used_bytes: this.#index.usedBytes(), quota_bytes: limits.checkpointsQuotaBytes };
  }
}

const tooLate = fail({
  reason: "checkpoint_failed",
  message: `it took longer than ${formatDuration(limits.checkpointMaxMs)}`,
});

/** Of a checkpoint that stands on a layer which another has already. */
const nothingNew = { bytes: 0, added: 0, changed: 0, removed: 0 };

function infoOf({ id, name, kind, created_at, bytes, files, added, changed, removed }: CheckpointRow): CheckpointInfo {
  return { id, name, kind, created_at, bytes, files, added, changed, removed };
}

const problemOf = (failure: { reason: string; message?: string }): string => failure.message ?? failure.reason;

const unknown = (name: string): Result<never> => fail({ reason: "not_found", kind: "checkpoint", name });
