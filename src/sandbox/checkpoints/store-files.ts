// Stores what changed in the machine as a new layer, if anything did.

import type { CheckpointCreateResult } from "../../contract/checkpoint-create.ts";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { RunnerClient } from "../machine/runner-client.ts";
import { RunnerFault } from "../machine/runner-fault.ts";
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

/** Needs a machine that is up. Rejects with RunnerFault, with nothing stored, when the machine ends. */
export async function storeFiles(storage: CheckpointStorage, runner: RunnerClient): Promise<Result<StoredFiles>> {
  const { index, layers, extraDirectories } = storage;
  const tip = index.newest()?.layer ?? null;
  const id = crypto.randomUUID();
  const parents = tip === null ? [] : possibleParents(idsOf(index.chain(tip)));
  const made = await runner.ask("checkpoint-create", { id, parents, more: [...extraDirectories] });
  if (!made.ok) return made;
  const { parent, archive } = made.value;
  if (parent !== null && !parents.includes(parent)) throw new RunnerFault("invalid", { cause: "An unknown parent" });
  if (archive === null && parent === tip && parent !== null) {
    await runner.ask("checkpoint-done", { id, keep: [parent], chain: idsOf(index.chain(parent)) });
    return succeed({ layer: parent, isNew: false, made: made.value });
  }
  if (archive === null) return fail({ reason: "checkpoint_failed", message: "the machine stored nothing" });
  const row = { id, parent, key: layers.newKey(id), ...archive, shared: 0, mark: null };
  const stored = await storeArchive(storage, runner, row);
  if (!stored.ok) return stored;
  return succeed({ layer: id, isNew: true, made: made.value });
}

/** Stores the object. The caller then confirms the layer and adds the checkpoint without an await in between. */
async function storeArchive(
  { index, layers }: CheckpointStorage,
  runner: RunnerClient,
  row: LayerRow,
): Promise<Result<null>> {
  const body = await fetchArchive(runner, row);
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
export async function confirmFiles({ index }: CheckpointStorage, runner: RunnerClient, layer: string): Promise<void> {
  await runner.ask("checkpoint-done", { id: layer, keep: [layer], chain: idsOf(index.chain(layer)) });
}

const idsOf = (chain: readonly LayerRow[]): string[] => chain.map(({ id }) => id);

/**
 * The runner chooses among the layers of the chain. One of an earlier version always takes the last layer, so that the chain
 * would grow without end.
 */
const possibleParents = (chain: readonly string[]): string[] =>
  chain.length < 2 * limits.checkpointChainMax ? chain.toReversed() : [];
