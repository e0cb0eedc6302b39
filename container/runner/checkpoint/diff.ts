// checkpoint-diff: the paths that differ between two checkpoints, or between a checkpoint and the machine as it is now.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CheckpointCompareRequest, CheckpointCompareResult } from "../../../src/contract/checkpoint-diff.ts";
import type { LayerUpload, LayerUploadResult } from "../../../src/contract/checkpoint-layer.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { compare, FoldedEntries } from "./compare.ts";
import { differs, type Entries, type Entry, isDirectory, ManifestReader } from "./entry.ts";
import { keptDirectories } from "./kept-directories.ts";
import { receive } from "./receive.ts";
import { scan } from "./scan.ts";

/** The upload has only the manifest of a layer, so the layer's hash cannot be checked; zstd's own checksum is. */
export async function receiveManifest(
  upload: LayerUpload,
  source: AsyncIterable<Buffer>,
  { checkpoints }: RunnerContext,
): Promise<Result<LayerUploadResult>> {
  const session = await checkpoints.session("diff", upload.session);
  const { manifest } = await receive(source, {
    manifestFile: join(session, `manifest-${upload.id}`),
    manifestBytes: upload.manifest_bytes,
    unpack: null,
  });
  return succeed({ damage: manifest.code === 0 ? null : manifest.stderr.trim(), trouble: "" });
}

export const checkpointDiff = (
  request: CheckpointCompareRequest,
  context: RunnerContext,
): Promise<Result<CheckpointCompareResult>> => context.checkpoints.exclusive(() => diff(request, context));

async function diff(
  { session, from, to, path, more: extraDirectories }: CheckpointCompareRequest,
  context: RunnerContext,
): Promise<Result<CheckpointCompareResult>> {
  const directory = await context.checkpoints.session("diff", session);
  const manifestOf = (id: string): string => join(directory, `manifest-${id}`);
  if (![...from, ...(to ?? [])].every((id) => existsSync(manifestOf(id)))) {
    return fail({ reason: "checkpoint_failed", message: "some of its layers have not been received" });
  }
  const now = join(directory, "now");
  if (to === null) {
    const kept = keptDirectories(context, extraDirectories);
    if (!kept.ok) return kept;
    const scanned = await scan("/", kept.value, now);
    if (!scanned.ok) return scanned;
  }
  const openChain = (ids: readonly string[]): Promise<FoldedEntries> =>
    Promise.all(ids.map((id) => ManifestReader.open(manifestOf(id)))).then(FoldedEntries.of);
  const before = await openChain(from);
  const after = to === null ? await ManifestReader.open(now) : await openChain(to);
  const differences = new Differences(path === null ? null : resolve(context.workspace, path));
  await compare(before, after, (old, current) => {
    const layers = { from: from[before.layer] ?? null, to: to?.[layerOf(after)] ?? null };
    differences.add(old, current, layers);
    return null;
  });
  return succeed(differences.result);
}

const layerOf = (entries: Entries): number => (entries instanceof FoldedEntries ? entries.layer : 0);

class Differences {
  readonly result: CheckpointCompareResult;
  /** The one file that the caller asks about, as a path in a manifest. */
  readonly #requestedPath: string | null;

  constructor(path: string | null) {
    this.#requestedPath = path === null ? null : Buffer.from(path.slice(1)).toString("latin1");
    const counts = { added_count: 0, changed_count: 0, removed_count: 0 };
    const file = path === null ? null : { path, from: null, to: null };
    this.result = { added: [], changed: [], removed: [], ...counts, file };
  }

  /** `layers` are the ids of the layers that the two entries are from. */
  add(before: Entry | null, after: Entry | null, layers: { from: string | null; to: string | null }): void {
    if ((before ?? after)?.path === this.#requestedPath && this.result.file !== null) {
      if (before?.meta.startsWith("f") === true) this.result.file.from = layers.from;
      if (after?.meta.startsWith("f") === true) this.result.file.to = layers.to;
    }
    if (before === null && after !== null) this.#put("added", after);
    else if (after === null && before !== null) this.#put("removed", before);
    else if (before !== null && after !== null && differs(before.meta, after.meta)) this.#put("changed", after);
  }

  #put(kind: "added" | "changed" | "removed", { path, meta }: Entry): void {
    this.result[`${kind}_count`] += 1;
    if (this.result[kind].length >= limits.checkpointDiffNames) return;
    this.result[kind].push(`/${Buffer.from(path, "latin1").toString("utf8")}${isDirectory(meta) ? "/" : ""}`);
  }
}
