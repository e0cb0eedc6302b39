// Decides which layer of a chain a new layer is relative to. Relative to the last one it is smallest. An earlier one makes the
// chain shorter, because the new layer then replaces those after it, but stores their files again. Storing everything replaces the
// whole chain.

import { limits } from "../../../src/contract/limits.ts";

export interface ChainSizes {
  /** The bytes in each layer of the chain, base first, before compression. */
  layers: readonly number[];
  /** The bytes of the new layer if it were relative to the layer with the same index. */
  deltas: readonly number[];
  /** The bytes of a layer that has everything. */
  full: number;
}

/**
 * Returns the index of the parent, or -1 for a layer that has everything. The chain stays at most `limits.checkpointChainMax`
 * long and about twice as large as the files, and what is stored again for that is as little as possible per layer replaced.
 */
export function chooseParent({ layers, deltas, full }: ChainSizes): number {
  const last = layers.length - 1;
  const mostBytes = 2 * full + limits.checkpointChainFreeBytes;
  let bytesBelow = 0;
  let best = { parent: -1, cost: full / layers.length };
  for (const [parent, bytes] of layers.entries()) {
    bytesBelow += bytes;
    const delta = deltas[parent] ?? Number.POSITIVE_INFINITY;
    if (parent + 2 > limits.checkpointChainMax || bytesBelow + delta > mostBytes) continue;
    if (parent === last) return last;
    const cost = delta / (last - parent);
    if (cost <= best.cost) best = { parent, cost };
  }
  return best.parent;
}
