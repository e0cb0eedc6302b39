// checkpoint-diff: the paths that differ between two checkpoints, or between a checkpoint and the machine as it is now.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointDiffSubject } from "../../../src/contract/checkpoint.ts";
import type { CheckpointCompareRequest, CheckpointCompareResult } from "../../../src/contract/checkpoint-diff.ts";
import type { LayerUpload, LayerUploadResult } from "../../../src/contract/checkpoint-layer.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { compare, FoldedEntries } from "./compare.ts";
import { mayDifferInside } from "./describe-change.ts";
import { type DiffSubject, diffSubject } from "./diff-subject.ts";
import { Differences } from "./differences.ts";
import { ENTRY_KINDS, type Entries, type Entry, ManifestReader } from "./entry.ts";
import { keptDirectories } from "./kept-directories.ts";
import { receive } from "./receive.ts";
import { scan } from "./scan.ts";
import { unlessNotStarted } from "./script-start.ts";
import { summarizeDifferences } from "./summarize-differences.ts";

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
  return succeed({ damage: manifest.code === 0 ? null : manifest.stderr.trim(), trouble: "", stored_as: null });
}

export const checkpointDiff = (
  request: CheckpointCompareRequest,
  context: RunnerContext,
): Promise<Result<CheckpointCompareResult>> =>
  context.checkpoints.exclusive(() => unlessNotStarted(() => diff(request, context)));

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
  const kept = keptDirectories(context, extraDirectories);
  if (!kept.ok) return kept;
  if (to === null) {
    const scanned = await scan("/", kept.value, now);
    if (!scanned.ok) return scanned;
  }
  const openChain = (ids: readonly string[]): Promise<FoldedEntries> =>
    Promise.all(ids.map((id) => ManifestReader.open(manifestOf(id)))).then((readers) => FoldedEntries.of(readers));
  const before = await openChain(from);
  const after = to === null ? await ManifestReader.open(now) : await openChain(to);
  const subject = path === null ? null : diffSubject(path, context.workspace);
  const sides = new SubjectSides(subject);
  const differences = new Differences();
  await compare(before, after, (old, current) => {
    sides.look(old, current, { from: from[before.layer] ?? null, to: to?.[layerOf(after)] ?? null });
    differences.add(old, current);
    return null;
  });
  const summary = summarizeDifferences(differences, subject, kept.value.directories);
  if (subject === null) return succeed({ ...summary, subject: null, file: null });
  const { directories, excluded } = kept.value;
  const outside_of = subject.isOutside(directories, excluded) ? directories.map((directory) => `/${directory}`) : null;
  const { file } = sides;
  const kinds = subject.isAbove(directories) ? { from: "directory" as const, to: "directory" as const } : sides.kinds;
  return succeed({ ...summary, subject: { path: subject.path, ...kinds, outside_of, has_text: file !== null }, file });
}

const layerOf = (entries: Entries): number => (entries instanceof FoldedEntries ? entries.layer : 0);

/** What the path that the caller asks about is on both sides, and where it is stored. */
class SubjectSides {
  readonly #subject: DiffSubject | null;
  readonly kinds: Pick<CheckpointDiffSubject, "from" | "to"> = { from: null, to: null };
  /** Null when there is no text to compare. */
  file: CheckpointCompareResult["file"] = null;

  constructor(subject: DiffSubject | null) {
    this.#subject = subject;
  }

  /** `layers` are the ids of the layers that the two entries are from. */
  look(before: Entry | null, after: Entry | null, layers: { from: string | null; to: string | null }): void {
    const path = (before ?? after)?.path ?? "";
    if (this.#subject?.isAt(path) !== true) return;
    this.kinds.from = kindOf(before);
    this.kinds.to = kindOf(after);
    const hasText = [before, after].some((entry) => hasContents(entry));
    if (!hasText || (before !== null && after !== null && !mayDifferInside(before.meta, after.meta))) return;
    this.file = {
      path: `/${path}`,
      from: hasContents(before) ? layers.from : null,
      to: hasContents(after) ? layers.to : null,
    };
  }
}

const kindOf = (entry: Entry | null): CheckpointDiffSubject["from"] =>
  entry === null ? null : (ENTRY_KINDS[entry.meta.charAt(0)] ?? null);

const hasContents = (entry: Entry | null): boolean => entry !== null && /^[fl]/.test(entry.meta);
