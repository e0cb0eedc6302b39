// Decides which checkpoints are kept, and removes layers that none of them uses.

import { limits } from "../../contract/limits.ts";
import type { CheckpointIndex } from "./checkpoint-index.ts";
import { type LayerStore, ObjectStoreFault } from "./layer-store.ts";

/**
 * Removes automatic checkpoints, oldest first: all but the last few, and of those as many as it takes to get under the quota. The
 * newest checkpoint and the newest intact one always stay.
 */
export function dropSurplus(index: CheckpointIndex): void {
  const all = index.list({ damaged: true });
  const always = [all[0]?.id, index.newest()?.id];
  const unnamed = all.filter(({ name, id }) => name === null && id !== all[0]?.id).map(({ id }) => id);
  const kept = unnamed.slice(0, limits.checkpointsAutomaticMax - 1);
  for (const id of unnamed.slice(kept.length)) if (!always.includes(id)) index.remove(id);
  if (index.usedBytes() <= limits.checkpointsQuotaBytes) return;
  for (const id of kept.filter((id) => !always.includes(id)).reverse()) {
    if (usefulBytes(index) <= limits.checkpointsQuotaBytes) return;
    index.remove(id);
  }
}

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

/** Generates an id that no checkpoint of the sandbox has as its id or name. */
export function newCheckpointId(index: CheckpointIndex): string {
  for (;;) {
    const id = `c${crypto.randomUUID().slice(0, 6)}`;
    if (index.find(id) === null) return id;
  }
}
