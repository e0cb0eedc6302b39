// checkpoint-create and checkpoint-done: an archive of everything, or of what changed since a layer of the chain that is stored.

import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { CheckpointCreateRequest, CheckpointCreateResult } from "../../../src/contract/checkpoint-create.ts";
import type { CheckpointDoneRequest, CheckpointDoneResult } from "../../../src/contract/checkpoint-done.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import { asFailure } from "../file/system-failure.ts";
import type { RunnerContext } from "../runner-context.ts";
import { deltaBytes, layerBytes } from "./chain-sizes.ts";
import { type LayerLists, writeLists, writeMergedLists } from "./changes.ts";
import { chooseParent } from "./choose-parent.ts";
import { keptDirectories } from "./kept-directories.ts";
import { pack } from "./pack.ts";
import { scan } from "./scan.ts";
import { unlessNotStarted } from "./script-start.ts";
import type { CheckpointState } from "./state.ts";

export function checkpointCreate(
  request: CheckpointCreateRequest,
  context: RunnerContext,
): Promise<Result<CheckpointCreateResult>> {
  context.checkpoints.requested += 1;
  context.checkpoints.changed.notify();
  return context.checkpoints.whileActive(() =>
    context.checkpoints.exclusive(() => unlessNotStarted(() => createWithRoom(request, context))),
  );
}

/** A disk that is full must not keep its files from being stored. */
async function createWithRoom(
  request: CheckpointCreateRequest,
  context: RunnerContext,
): Promise<Result<CheckpointCreateResult>> {
  const { checkpoints } = context;
  const create = () => asFailure(context.workspace, () => createArchive(request, context));
  const first = await create();
  if (first.ok || first.failure.reason !== "disk_full" || !(await checkpoints.makeRoom())) return first;
  const second = await create();
  return second.ok ? second : first;
}

export async function checkpointDone(
  { id, keep, chain }: CheckpointDoneRequest,
  { checkpoints }: RunnerContext,
): Promise<Result<CheckpointDoneResult>> {
  await checkpoints.exclusive(async () => {
    await checkpoints.removeArchives();
    await checkpoints.removeScans([...keep, id]);
    await checkpoints.removeManifests([...chain, id]);
    await checkpoints.keepReserve();
  });
  checkpoints.finished = checkpoints.requested;
  checkpoints.changed.notify();
  return succeed({});
}

async function createArchive(
  { id, parents, more: extraDirectories }: CheckpointCreateRequest,
  context: RunnerContext,
): Promise<Result<CheckpointCreateResult>> {
  const { checkpoints } = context;
  const kept = keptDirectories(context, extraDirectories);
  if (!kept.ok) return kept;
  await checkpoints.removeArchives();
  const current = checkpoints.scan(id);
  const scanned = await scan("/", kept.value, current);
  if (!scanned.ok) return scanned;
  const chain = parents.filter((layer) => layer !== id).reverse();
  const tip = chain.at(-1);
  const stored = tip !== undefined && existsSync(checkpoints.scan(tip)) ? checkpoints.scan(tip) : null;
  const archive = checkpoints.archive(id);
  const lists = listsFor(archive);
  const { counts, records, fullBytes } = await writeLists(stored, current, lists, kept.value);
  if (stored !== null && records === 0) {
    await rm(current, { force: true });
    return succeed({ parent: tip ?? null, archive: null, ...counts });
  }
  const parent = stored === null ? -1 : await selectParent(checkpoints, chain, { changes: lists.manifest, fullBytes });
  if (stored !== null && parent < 0) await writeLists(null, current, lists, kept.value);
  if (parent >= 0 && parent < chain.length - 1) {
    const changes = `${archive}.changes`;
    await rename(lists.manifest, changes);
    const replaced = chain.slice(parent + 1).map((layer) => checkpoints.manifest(layer));
    await writeMergedLists([...replaced, changes], lists, kept.value);
  }
  const packed = await pack(archive, lists);
  if (!packed.ok) return packed;
  await rename(lists.manifest, checkpoints.manifest(id));
  return succeed({ parent: chain[parent] ?? null, archive: packed.value, ...counts });
}

/** They are beside the archive, so that the next checkpoint removes what is left of them. */
const listsFor = (archive: string): LayerLists => ({
  manifest: `${archive}.manifest`,
  names: `${archive}.names`,
  deep: `${archive}.deep`,
});

/** Resolves to the index in the chain, or to -1 for none. Without all manifests nothing can be merged. */
async function selectParent(
  checkpoints: CheckpointState,
  chain: readonly string[],
  { changes, fullBytes }: { changes: string; fullBytes: number },
): Promise<number> {
  const manifests = chain.map((layer) => checkpoints.manifest(layer));
  if (!manifests.every((path) => existsSync(path))) {
    return chain.length < limits.checkpointChainMax ? chain.length - 1 : -1;
  }
  const layers: number[] = [];
  for (const layer of chain) {
    const bytes = checkpoints.layerBytes.get(layer) ?? (await layerBytes(checkpoints.manifest(layer)));
    checkpoints.layerBytes.set(layer, bytes);
    layers.push(bytes);
  }
  const deltas = await deltaBytes([...manifests.slice(1), changes]);
  return chooseParent({ layers, deltas, full: fullBytes });
}
