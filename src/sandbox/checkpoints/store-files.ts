// Stores what changed in the machine as a new layer, if anything did.

import type { CheckpointCreateResult } from "../../contract/checkpoint-create.ts";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { RunnerClient } from "../machine/runner-client.ts";
import type { CheckpointIndex, LayerRow } from "./checkpoint-index.ts";
import type { CheckpointState } from "./checkpoint-state.ts";
import { type LayerStore, ObjectStoreFault } from "./layer-store.ts";
import { fetchArchive } from "./runner-streams.ts";

/** The stores that hold the checkpoints of one sandbox. */
export interface CheckpointStorage {
  index: CheckpointIndex;
  layers: LayerStore;
  state: CheckpointState;
  /** Absolute paths that are stored besides the default ones. */
  extraDirectories: readonly string[];
}

export interface StoredFiles {
  /** The layer that completes the chain. */
  layer: string;
  /** False when nothing had changed. */
  isNew: boolean;
  made: CheckpointCreateResult;
}

/** Needs a machine that is up. Rejects with RunnerUnreachable, with nothing stored, when the machine ends. */
export async function storeFiles(storage: CheckpointStorage, runner: RunnerClient): Promise<Result<StoredFiles>> {
  const { index, state, layers, extraDirectories } = storage;
  const tip = index.newest()?.layer ?? null;
  const parents = tip === null ? [] : possibleParents(storage, tip);
  const id = crypto.randomUUID();
  const made = await runner.ask("checkpoint-create", { id, parents, more: [...extraDirectories] });
  if (!made.ok) return made;
  const { parent, archive } = made.value;
  if (archive === null && parent === tip && parent !== null) {
    await runner.ask("checkpoint-done", { id, keep: layersToKeep(state, parent) });
    return succeed({ layer: parent, isNew: false, made: made.value });
  }
  if (archive === null) return fail({ reason: "checkpoint_failed", message: "the machine stored nothing" });
  const row = { id, parent, key: layers.newKey(id), ...archive, shared: 0, mark: null };
  const stored = await storeArchive(storage, runner, row);
  if (!stored.ok) return stored;
  if (parent === null || state.anchor === null) state.anchor = id;
  return succeed({ layer: id, isNew: true, made: made.value });
}

/** Stores the object. The caller then confirms the layer and adds the checkpoint without an await in between. */
async function storeArchive(
  { index, layers }: CheckpointStorage,
  runner: RunnerClient,
  row: LayerRow,
): Promise<Result<null>> {
  const body = await fetchArchive(runner, row.id);
  if (!body.ok) return body;
  index.begin(row);
  try {
    await layers.put(row, body.value);
    return succeed(null);
  } catch (error) {
    if (!(error instanceof ObjectStoreFault)) throw error;
    console.error("A layer was not stored:", error);
    return fail({ reason: "checkpoint_failed", message: "its bytes could not be stored" });
  }
}

/** Tells the machine that the checkpoint is recorded. If the request is lost, the machine learns it from the next checkpoint. */
export async function confirmFiles({ state }: CheckpointStorage, runner: RunnerClient, layer: string): Promise<void> {
  await runner.ask("checkpoint-done", { id: layer, keep: layersToKeep(state, layer) });
}

/** The layers that the machine may be asked to build on later. */
function layersToKeep({ anchor }: CheckpointState, tip: string): string[] {
  return anchor === null || anchor === tip ? [tip] : [tip, anchor];
}

/**
 * Prefers the tip, until the chain up to it is too long or too large; then the anchor, so that everything since is stored
 * together; then no parent, so that all files are stored again.
 */
function possibleParents({ index, state: { anchor } }: CheckpointStorage, tip: string): string[] {
  if (isLight(index.chain(tip), limits.checkpointChainMax)) return [tip];
  if (anchor !== null && isLight(index.chain(anchor), limits.checkpointChainMax / 2)) return [anchor];
  return [];
}

function isLight(chain: readonly LayerRow[], longest: number): boolean {
  const [base, ...deltas] = chain;
  if (base === undefined) return false;
  const weight = deltas.reduce((sum, { bytes }) => sum + bytes, 0);
  return chain.length < longest && weight <= Math.max(base.bytes, limits.checkpointChainFreeBytes);
}
