// checkpoint-create and checkpoint-done: an archive of everything, or of what changed since a layer whose scan is still here.

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { CheckpointCreateRequest, CheckpointCreateResult } from "../../../src/contract/checkpoint-create.ts";
import type { CheckpointDoneRequest, CheckpointDoneResult } from "../../../src/contract/checkpoint-done.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { writeLists } from "./changes.ts";
import { keptDirectories } from "./kept-directories.ts";
import { pack } from "./pack.ts";
import { scan } from "./scan.ts";

export function checkpointCreate(
  request: CheckpointCreateRequest,
  context: RunnerContext,
): Promise<Result<CheckpointCreateResult>> {
  context.checkpoints.requested += 1;
  context.checkpoints.changed.notify();
  return context.checkpoints.whileActive(() => context.checkpoints.exclusive(() => create(request, context)));
}

export async function checkpointDone(
  { id, keep }: CheckpointDoneRequest,
  { checkpoints }: RunnerContext,
): Promise<Result<CheckpointDoneResult>> {
  await checkpoints.exclusive(async () => {
    await checkpoints.removeArchives();
    await checkpoints.removeScans([...keep, id]);
  });
  checkpoints.finished = checkpoints.requested;
  checkpoints.changed.notify();
  return succeed({});
}

async function create(
  { id, parents, more: extraDirectories }: CheckpointCreateRequest,
  context: RunnerContext,
): Promise<Result<CheckpointCreateResult>> {
  const { checkpoints } = context;
  const kept = keptDirectories(context, extraDirectories);
  if (!kept.ok) return kept;
  await checkpoints.removeArchives();
  const scanned = await scan("/", kept.value, checkpoints.scan(id));
  if (!scanned.ok) return scanned;
  const parent = parents.find((layer) => layer !== id && existsSync(checkpoints.scan(layer))) ?? null;
  const archive = checkpoints.archive(id);
  const lists = { manifest: `${archive}.manifest`, names: `${archive}.names` };
  const { counts, records } = await writeLists(
    parent === null ? null : checkpoints.scan(parent),
    checkpoints.scan(id),
    lists,
    kept.value,
  );
  if (parent !== null && records === 0) {
    await rm(checkpoints.scan(id), { force: true });
    return succeed({ parent, archive: null, ...counts });
  }
  const packed = await pack(archive, lists);
  await Promise.all([rm(lists.manifest, { force: true }), rm(lists.names, { force: true })]);
  return packed.ok ? succeed({ parent, archive: packed.value, ...counts }) : packed;
}
