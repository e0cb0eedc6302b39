// checkpoint-restore: the layers of a checkpoint, unpacked one over the other as they arrive, then put in place and verified.

import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { LayerUpload, LayerUploadResult } from "../../../src/contract/checkpoint-layer.ts";
import type { CheckpointRestoreRequest, CheckpointRestoreResult } from "../../../src/contract/checkpoint-restore.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { removeTree } from "../file/remove-tree.ts";
import { asFailure } from "../file/system-failure.ts";
import type { RunnerContext } from "../runner-context.ts";
import { compare, FoldedEntries } from "./compare.ts";
import { differs, isDirectory, ManifestReader } from "./entry.ts";
import { type KeptDirectories, keptDirectories } from "./kept-directories.ts";
import { mergeLayer } from "./merge-layer.ts";
import { type Received, receive } from "./receive.ts";
import { scan } from "./scan.ts";
import { unlessNotStarted } from "./script-start.ts";
import { swapDirectories } from "./swap.ts";
import { unpackOptions } from "./unpack.ts";
import { unpackDeep } from "./unpack-deep.ts";

/** Unpacks one layer over those before it. The caller sends them in order. */
export async function receiveLayer(
  upload: LayerUpload,
  source: AsyncIterable<Buffer>,
  { checkpoints }: RunnerContext,
): Promise<Result<LayerUploadResult>> {
  await checkpoints.inodes.release();
  const session = await checkpoints.session("restore", upload.session);
  const tree = join(session, "tree");
  const isBase = !existsSync(tree);
  const target = isBase ? tree : join(session, "layer");
  await mkdir(target, { mode: 0o700 });
  const manifestFile = join(session, `manifest-${upload.id}`);
  const received = await receive(source, {
    manifestFile,
    manifestBytes: upload.manifest_bytes,
    unpack: { args: unpackOptions(), cwd: target },
  });
  const unpacked = check(received, upload);
  const checked = unpacked.ok && unpacked.value.damage === null ? await withDeep(unpacked.value, target) : unpacked;
  if (!checked.ok || checked.value.damage !== null) {
    await removeTree(session);
    return checked;
  }
  if (!isBase) await mergeLayer(target, manifestFile, tree);
  return checked;
}

function withDeep(result: LayerUploadResult, target: string): Promise<Result<LayerUploadResult>> {
  return asFailure("/", async () => {
    const trouble = await unpackDeep(target);
    if (/No space left on device/.test(trouble)) return fail({ reason: "disk_full", path: "/", disk: null });
    return succeed({ ...result, trouble: [result.trouble, trouble].filter(Boolean).join("\n") });
  });
}

function check({ sha256, manifest, archive }: Received, upload: LayerUpload): Result<LayerUploadResult> {
  if (sha256 !== upload.sha256)
    return succeed({ damage: "its hash is not the one that was stored", trouble: "", stored_as: null });
  const stderr = `${manifest.stderr}${archive?.stderr ?? ""}`;
  if (/No space left on device/.test(stderr)) return fail({ reason: "disk_full", path: "/", disk: null });
  if (manifest.code !== 0 || archive === null || archive.code > 2) {
    return succeed({
      damage: `it cannot be unpacked (${stderr.trim().split("\n")[0] ?? ""})`,
      trouble: "",
      stored_as: null,
    });
  }
  return succeed({ damage: null, trouble: archive.code === 2 ? stderr.trim() : "", stored_as: null });
}

export const checkpointRestore = (
  request: CheckpointRestoreRequest,
  context: RunnerContext,
): Promise<Result<CheckpointRestoreResult>> =>
  context.checkpoints.exclusive(() => unlessNotStarted(() => restore(request, context)));

async function restore(
  { session, layers, more: extraDirectories }: CheckpointRestoreRequest,
  context: RunnerContext,
): Promise<Result<CheckpointRestoreResult>> {
  const { checkpoints } = context;
  const kept = keptDirectories(context, extraDirectories);
  if (!kept.ok) return kept;
  const directory = await checkpoints.session("restore", session);
  const tree = join(directory, "tree");
  const manifests = layers.map((id) => join(directory, `manifest-${id}`));
  if (![tree, ...manifests].every((path) => existsSync(path))) {
    return fail({ reason: "checkpoint_failed", message: "some of its layers have not been received" });
  }
  const tip = layers.at(-1) ?? "";
  const swapped = await swapDirectories(tree, join(directory, "replaced"), kept.value);
  if (!swapped.ok) return swapped;
  await checkpoints.removeArchives();
  await checkpoints.removeScans([]);
  await checkpoints.removeManifests([]);
  const scanned = await scan("/", kept.value, checkpoints.scan(tip));
  if (!scanned.ok) return scanned;
  const result = await verify(manifests, checkpoints.scan(tip), kept.value);
  // Copied, because the manifests of a chain may be on another file system; the originals are removed with the session.
  for (const [index, path] of manifests.entries()) await copyFile(path, checkpoints.manifest(layers[index] ?? ""));
  checkpoints.restored = tip;
  void removeTree(directory)
    .then(() => checkpoints.keepReserve())
    .catch((error: unknown) => console.error(error));
  return succeed(result);
}

/** Counts the restored files, and the entries that differ from what the layers describe. */
async function verify(
  manifests: readonly string[],
  scanFile: string,
  kept: KeptDirectories,
): Promise<CheckpointRestoreResult> {
  const result = { files: 0, differing: 0 };
  const stored = await FoldedEntries.of(await Promise.all(manifests.map((path) => ManifestReader.open(path))));
  await compare(stored, await ManifestReader.open(scanFile), (expected, actual) => {
    if (actual !== null && !isDirectory(actual.meta)) result.files += 1;
    const isSame = expected !== null && actual !== null && !differs(expected.meta, actual.meta);
    if (!isSame && !kept.directories.includes((actual ?? expected)?.path ?? "")) result.differing += 1;
    return null;
  });
  return result;
}
