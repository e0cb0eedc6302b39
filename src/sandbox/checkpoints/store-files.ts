// Stores what changed in the machine as a new layer, where anything did.

import type { CheckpointCreateResult } from "../../contract/checkpoint-create.ts";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { CheckpointHost } from "./checkpoint-host.ts";
import type { CheckpointIndex, LayerRow } from "./checkpoint-index.ts";
import type { LayerStore } from "./layer-store.ts";
import { fetchArchive } from "./runner-streams.ts";

export interface StoredFiles {
  /** The layer that now has everything. */
  layer: string;
  /** False where nothing had changed. */
  isNew: boolean;
  made: CheckpointCreateResult;
}

export interface FileStore {
  host: CheckpointHost;
  index: CheckpointIndex;
  layers: LayerStore;
  /** Absolute paths kept beside the usual ones. */
  more: readonly string[];
  /** The first layer that the present machine knew, and a later one can be taken against; null before there is one. */
  anchor(): string | null;
  setAnchor(layer: string): void;
}

/** Needs a machine that is up. Rejects when it goes away meanwhile, with nothing stored. */
export async function storeFiles(store: FileStore): Promise<Result<StoredFiles>> {
  const { host, index } = store;
  const tip = index.newest()?.layer ?? null;
  const parents = tip === null ? [] : goodParents(store, tip);
  const id = crypto.randomUUID();
  const made = await host.ask("checkpoint-create", { id, parents, more: [...store.more] });
  if (!made.ok) return made;
  const { parent, archive } = made.value;
  if (archive === null && parent === tip && parent !== null) {
    await host.ask("checkpoint-done", { id, keep: keepOf(store, parent) });
    return succeed({ layer: parent, isNew: false, made: made.value });
  }
  if (archive === null) return fail({ reason: "checkpoint_failed", message: "the machine stored nothing" });
  const row = { id, parent, key: store.layers.newKey(id), ...archive, shared: 0, mark: null };
  const stored = await storeArchive(store, row);
  if (!stored.ok) return stored;
  if (parent === null || store.anchor() === null) store.setAnchor(id);
  return succeed({ layer: id, isNew: true, made: made.value });
}

/** The row says `stored` only after the put has; the caller's row of the checkpoint follows without a wait between. */
async function storeArchive({ host, index, layers }: FileStore, row: LayerRow): Promise<Result<null>> {
  const body = await fetchArchive(host.port(), row.id);
  if (!body.ok) return body;
  index.begin(row);
  try {
    await layers.put(row, body.value);
    return succeed(null);
  } catch (error) {
    console.error("A layer was not stored:", error);
    return fail({ reason: "checkpoint_failed", message: "its bytes could not be stored" });
  }
}

/** Told once the checkpoint's row is written; the machine finds out by itself at the next one where this gets lost. */
export async function confirmFiles(store: FileStore, layer: string): Promise<void> {
  await store.host.ask("checkpoint-done", { id: layer, keep: keepOf(store, layer) });
}

function keepOf(store: FileStore, tip: string): string[] {
  const anchor = store.anchor();
  return anchor === null || anchor === tip ? [tip] : [tip, anchor];
}

/**
 * The tip, until the chain up to it has grown long or heavy; then the anchor, so that everything since is taken together; then nothing,
 * which stores everything anew.
 */
function goodParents({ index, anchor }: FileStore, tip: string): string[] {
  if (isLight(index.chain(tip), limits.checkpointChainMax)) return [tip];
  const first = anchor();
  if (first !== null && isLight(index.chain(first), limits.checkpointChainMax / 2)) return [first];
  return [];
}

function isLight(chain: readonly LayerRow[], longest: number): boolean {
  const [base, ...deltas] = chain;
  if (base === undefined) return false;
  const weight = deltas.reduce((sum, { bytes }) => sum + bytes, 0);
  return chain.length < longest && weight <= Math.max(base.bytes, limits.checkpointChainFreeBytes);
}
