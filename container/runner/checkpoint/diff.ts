// checkpoint-diff and checkpoint-text: what differs between two checkpoints, or one and now.

import { existsSync, lstatSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CheckpointCompareRequest, CheckpointCompareResult } from "../../../src/contract/checkpoint-diff.ts";
import type { FileUpload, LayerUpload, LayerUploadResult } from "../../../src/contract/checkpoint-layer.ts";
import type { CheckpointTextRequest, CheckpointTextResult } from "../../../src/contract/checkpoint-text.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { compare, FoldedEntries } from "./compare.ts";
import { differs, type Entries, type Entry, isDirectory, ManifestReader } from "./entry.ts";
import { keptDirectories } from "./kept-directories.ts";
import { runScript } from "./programs.ts";
import { receive } from "./receive.ts";
import { scan } from "./scan.ts";
import { UNPACK, unpackOptions } from "./unpack.ts";

/** Only the manifest is sent, so its hash says nothing; zstd's own checksum does. */
export async function takeManifest(
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

export async function takeFile(
  upload: FileUpload,
  source: AsyncIterable<Buffer>,
  { checkpoints }: RunnerContext,
): Promise<Result<LayerUploadResult>> {
  const session = await checkpoints.session("diff", upload.session);
  const target = join(session, upload.side);
  await mkdir(target, { recursive: true, mode: 0o700 });
  const name = upload.path.slice(1);
  const { archive } = await receive(source, {
    manifestFile: join(session, "unused"),
    manifestBytes: upload.manifest_bytes,
    unpack: { script: UNPACK, args: [...unpackOptions(), "--occurrence=1", "--no-wildcards", "--", name], cwd: target },
  });
  return succeed({ damage: null, trouble: archive?.stderr.trim() ?? "" });
}

export const checkpointDiff = (
  request: CheckpointCompareRequest,
  context: RunnerContext,
): Promise<Result<CheckpointCompareResult>> => context.checkpoints.exclusive(() => diff(request, context));

async function diff(
  { session, from, to, path, more }: CheckpointCompareRequest,
  { options, checkpoints }: RunnerContext,
): Promise<Result<CheckpointCompareResult>> {
  const directory = await checkpoints.session("diff", session);
  const manifests = [...from, ...(to ?? [])].map((id) => join(directory, `manifest-${id}`));
  if (!manifests.every((file) => existsSync(file))) {
    return fail({ reason: "checkpoint_failed", message: "not all of it has arrived" });
  }
  const now = join(directory, "now");
  if (to === null) {
    const kept = keptDirectories(options, more);
    if (!kept.ok) return kept;
    const scanned = await scan("/", kept.value, now);
    if (!scanned.ok) return scanned;
  }
  const chain = (ids: readonly string[]): Promise<FoldedEntries> =>
    Promise.all(ids.map((id) => ManifestReader.open(join(directory, `manifest-${id}`)))).then(FoldedEntries.of);
  const before = await chain(from);
  const after = to === null ? await ManifestReader.open(now) : await chain(to);
  const wanted = path === null ? null : resolve(options.workspace, path);
  const found = new Differences(wanted);
  await compare(before, after, (left, right) => {
    found.add(left, right, from[before.layer] ?? null, to === null ? null : (to[layerOf(after)] ?? null));
    return null;
  });
  return succeed(found.result);
}

const layerOf = (entries: Entries): number => (entries instanceof FoldedEntries ? entries.layer : 0);

class Differences {
  readonly result: CheckpointCompareResult;
  readonly #wanted: string | null;

  constructor(wanted: string | null) {
    this.#wanted = wanted === null ? null : Buffer.from(wanted.slice(1)).toString("latin1");
    const counts = { added_count: 0, changed_count: 0, removed_count: 0 };
    const file = wanted === null ? null : { path: wanted, from: null, to: null };
    this.result = { added: [], changed: [], removed: [], ...counts, file };
  }

  add(left: Entry | null, right: Entry | null, from: string | null, to: string | null): void {
    const path = (left ?? right)?.path ?? "";
    if (path === this.#wanted && this.result.file !== null) {
      if (left?.meta.startsWith("f") === true) this.result.file.from = from;
      if (right?.meta.startsWith("f") === true) this.result.file.to = to;
    }
    if (left === null && right !== null) this.#put("added", right);
    else if (right === null && left !== null) this.#put("removed", left);
    else if (left !== null && right !== null && differs(left.meta, right.meta)) this.#put("changed", right);
  }

  #put(kind: "added" | "changed" | "removed", { path, meta }: Entry): void {
    this.result[`${kind}_count`] += 1;
    if (this.result[kind].length >= limits.checkpointDiffNames) return;
    this.result[kind].push(`/${Buffer.from(path, "latin1").toString("utf8")}${isDirectory(meta) ? "/" : ""}`);
  }
}

export async function checkpointText(
  { session, path, now }: CheckpointTextRequest,
  { checkpoints }: RunnerContext,
): Promise<Result<CheckpointTextResult>> {
  const directory = await checkpoints.session("diff", session);
  const name = path.slice(1);
  const fileOr = (file: string): string =>
    lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : "/dev/null";
  const left = fileOr(join(directory, "from", name));
  const right = fileOr(now ? path : join(directory, "to", name));
  const { code, stdout, stderr } = await runScript(
    `diff -u --label "$1" --label "$2" -- "$3" "$4" | head -c ${limits.checkpointDiffChars}; [ "\${PIPESTATUS[0]}" -le 1 ]`,
    {
      args: [left === "/dev/null" ? left : `a/${name}`, right === "/dev/null" ? right : `b/${name}`, left, right],
      cwd: "/",
    },
  );
  // Code 1 is a diff cut short, which ends `diff` by its pipe.
  if (code !== 0 && stdout === "") return fail({ reason: "checkpoint_failed", message: stderr.trim() });
  return succeed({ text: Buffer.from(stdout, "latin1").toString("utf8") });
}
