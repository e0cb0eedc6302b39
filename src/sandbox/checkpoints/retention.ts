// Decides which checkpoints are kept, and removes layers that none of them uses.

import { limits } from "../../contract/limits.ts";
import type { CheckpointIndex, CheckpointRow } from "./checkpoint-index.ts";
import { type LayerStore, ObjectStoreFault } from "./layer-store.ts";

/**
 * Removes automatic checkpoints: those that thin out with age, then the oldest until the rest is under the quota. The newest
 * checkpoint and the newest intact one always stay.
 */
export function dropSurplus(index: CheckpointIndex, now: number): void {
  const all = index.list({ damaged: true });
  const always = new Set([all[0]?.id, index.newest()?.id]);
  const unnamed = all.filter(({ name }) => name === null);
  const kept = thinOut(unnamed, new Set(index.list({ damaged: false }).map(({ id }) => id)), now);
  for (const { id } of unnamed) if (!kept.has(id) && !always.has(id)) index.remove(id);
  if (index.usedBytes() <= limits.checkpointsQuotaBytes) return;
  for (const id of [...kept].filter((id) => !always.has(id)).reverse()) {
    if (usefulBytes(index) <= limits.checkpointsQuotaBytes) return;
    index.remove(id);
  }
}

/**
 * Returns the ids to keep, newest first: all of the last hour, then the last intact one of each hour for a day, and of each day for
 * a week.
 */
function thinOut(newestFirst: readonly CheckpointRow[], intact: ReadonlySet<string>, now: number): Set<string> {
  const kept = new Set<string>();
  const slots = new Set<string>();
  for (const [position, { id, created_at }] of newestFirst.entries()) {
    const slot = slotOf(created_at, now - created_at, position);
    if (slot === null || (slot !== "" && (slots.has(slot) || !intact.has(id)))) continue;
    slots.add(slot);
    kept.add(id);
  }
  return kept;
}

/** "" for one that is kept whatever else there is; null for one that is dropped. */
function slotOf(createdAt: number, age: number, position: number): string | null {
  if (age < limits.checkpointsKeepAllMs && position < limits.checkpointsKeepAllMax) return "";
  if (age < limits.checkpointsKeepHourlyMs) return `hour ${Math.floor(createdAt / HOUR_MS)}`;
  if (age < limits.checkpointsKeepDailyMs) return `day ${Math.floor(createdAt / DAY_MS)}`;
  return null;
}

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

const usefulBytes = (index: CheckpointIndex): number =>
  index.usedBytes() - index.unused().reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * Removes the layers that no checkpoint uses, and resolves to the number of bytes freed. A layer that cannot be removed is
 * retried the next time.
 */
export async function sweep(index: CheckpointIndex, layers: LayerStore): Promise<number> {
  let freed = 0;
  for (const layer of index.unused()) {
    try {
      if (await layers.release(layer)) freed += layer.bytes;
      index.removeLayer(layer.id);
    } catch (error) {
      if (!(error instanceof ObjectStoreFault)) throw error;
      console.error("A layer was not removed:", error);
    }
  }
  return freed;
}

export const CHECKPOINT_ID = /^c[0-9a-f]{6}$/;

/** Generates an id that no checkpoint of the sandbox has as its id or name. */
export function newCheckpointId(index: CheckpointIndex): string {
  for (;;) {
    const id = `c${crypto.randomUUID().slice(0, 6)}`;
    if (index.find(id) === null) return id;
  }
}
