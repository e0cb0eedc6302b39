// Restores in two steps: layers are unpacked into a tree of their own as they arrive, and checkpoint-restore puts that tree
// in place. Until then nothing of the machine's files is touched.

import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LayerUpload, LayerUploadResult } from "../../../src/contract/checkpoint-layer.ts";
import type { CheckpointRestoreRequest, CheckpointRestoreResult } from "../../../src/contract/checkpoint-restore.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { compare, FoldedEntries } from "./compare.ts";
import { differs, isDirectory, ManifestReader } from "./entry.ts";
import { type Kept, keptDirectories } from "./kept-directories.ts";
import { mergeLayer } from "./merge-layer.ts";
import { type Received, receive } from "./receive.ts";
import { scan } from "./scan.ts";
import { putInPlace } from "./swap.ts";
import { UNPACK, unpackOptions } from "./unpack.ts";

/** Unpacks one layer over those before it. The caller sends them in order. */
export async function unpackLayer(
  upload: LayerUpload,
  source: AsyncIterable<Buffer>,
  { checkpoints }: RunnerContext,
): Promise<Result<LayerUploadResult>> {
  const session = await checkpoints.session("restore", upload.session);
  const tree = join(session, "tree");
  const isBase = !existsSync(tree);
  const target = isBase ? tree : join(session, "layer");
  await mkdir(target, { mode: 0o700 });
  const manifestFile = join(session, `manifest-${upload.id}`);
  const received = await receive(source, {
    manifestFile,
    manifestBytes: upload.manifest_bytes,
    unpack: { script: UNPACK, args: unpackOptions(), cwd: target },
  });
  const checked = check(received, upload);
  if (!checked.ok || checked.value.damage !== null) {
    await rm(session, { recursive: true, force: true });
    return checked;
  }
  if (!isBase) await mergeLayer(target, manifestFile, tree);
  return checked;
}

function check({ sha256, manifest, archive }: Received, upload: LayerUpload): Result<LayerUploadResult> {
  if (sha256 !== upload.sha256) return succeed({ damage: "its hash is not the one that was stored", trouble: "" });
  const stderr = `${manifest.stderr}${archive?.stderr ?? ""}`;
  if (/No space left on device/.test(stderr)) return fail({ reason: "disk_full", path: "/" });
  if (manifest.code !== 0 || archive === null || archive.code > 2) {
    return succeed({ damage: `it cannot be unpacked (${stderr.trim().split("\n")[0] ?? ""})`, trouble: "" });
  }
  return succeed({ damage: null, trouble: archive.code === 2 ? stderr.trim() : "" });
}

export function restore(
  request: CheckpointRestoreRequest,
  context: RunnerContext,
): Promise<Result<CheckpointRestoreResult>> {
  return context.checkpoints.exclusive(() => finish(request, context));
}

async function finish(
  { session, layers, more }: CheckpointRestoreRequest,
  { options, checkpoints }: RunnerContext,
): Promise<Result<CheckpointRestoreResult>> {
  const kept = keptDirectories(options, more);
  if (!kept.ok) return kept;
  const directory = await checkpoints.session("restore", session);
  const tree = join(directory, "tree");
  const manifests = layers.map((id) => join(directory, `manifest-${id}`));
  if (![tree, ...manifests].every((path) => existsSync(path))) {
    return fail({ reason: "checkpoint_failed", message: "not all of it has arrived" });
  }
  const tip = layers.at(-1) ?? "";
  const placed = await putInPlace(tree, join(directory, "replaced"), kept.value);
  if (!placed.ok) return placed;
  await checkpoints.forgetArchives();
  await checkpoints.forgetScans([]);
  const scanned = await scan("/", kept.value, checkpoints.scan(tip));
  if (!scanned.ok) return scanned;
  const result = await verify(manifests, checkpoints.scan(tip), kept.value);
  checkpoints.restored = tip;
  void rm(directory, { recursive: true, force: true }).catch((error: unknown) => console.error(error));
  return succeed(result);
}

async function verify(manifests: readonly string[], scanFile: string, kept: Kept): Promise<CheckpointRestoreResult> {
  const result = { files: 0, differing: 0 };
  const stored = await FoldedEntries.of(await Promise.all(manifests.map((path) => ManifestReader.open(path))));
  await compare(stored, await ManifestReader.open(scanFile), (left, right) => {
    if (right !== null && !isDirectory(right.meta)) result.files += 1;
    const same = left !== null && right !== null && !differs(left.meta, right.meta);
    if (!same && !kept.directories.includes((right ?? left)?.path ?? "")) result.differing += 1;
    return null;
  });
  return result;
}
