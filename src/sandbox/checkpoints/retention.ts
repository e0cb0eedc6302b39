// Which checkpoints are kept, and the removal of what nothing stands on any more.

import { limits } from "../../contract/limits.ts";
import type { CheckpointIndex, CheckpointRow } from "./checkpoint-index.ts";
import type { LayerStore } from "./layer-store.ts";

/** All with a name; the last automatic ones, or only the newest while the sandbox has more than its quota. */
export function dropSurplus(index: CheckpointIndex): void {
  const all = index.list({ damaged: true });
  const automatic = all.filter(({ name, id }) => name === null && id !== all[0]?.id);
  const newest = index.newest();
  for (const { id } of automatic.slice(limits.checkpointsAutomaticMax - 1)) if (id !== newest?.id) index.remove(id);
  if (index.usedBytes() <= limits.checkpointsQuotaBytes) return;
  const before = automatic.slice(0, limits.checkpointsAutomaticMax - 1).filter(({ id }) => id !== newest?.id);
  for (const { id } of before.reverse()) {
    if (usefulBytes(index) <= limits.checkpointsQuotaBytes) return;
    index.remove(id);
  }
}

const usefulBytes = (index: CheckpointIndex): number =>
  index.usedBytes() - index.unused().reduce((sum, { bytes }) => sum + bytes, 0);

/** Answers the bytes that are free again. What cannot be removed now is found again the next time. */
export async function sweep(index: CheckpointIndex, layers: LayerStore): Promise<number> {
  let freed = 0;
  for (const layer of index.unused()) {
    try {
      if (await layers.release(layer)) freed += layer.bytes;
      index.forget(layer.id);
    } catch (error) {
      console.error("A layer was not removed:", error);
    }
  }
  return freed;
}

export const newCheckpointId = (taken: (id: string) => CheckpointRow | null): string => {
  for (;;) {
    const id = `c${crypto.randomUUID().slice(0, 6)}`;
    if (taken(id) === null) return id;
  }
};
