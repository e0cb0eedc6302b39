// file-copy: a file, or a directory with everything in it. Everything that could be refused is looked at before anything is
// copied.

import { lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileCopyRequest, FileCopyResult } from "../../../src/contract/file-copy.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { type Destination, destinationOf, intoItself, kindAt } from "./copy-target.ts";
import { copyNew, copyOver } from "./copy-tree.ts";
import { checkCopyable } from "./copyable.ts";
import { KIND_NAMES, kindOf } from "./kind.ts";
import { withPaths } from "./path-lock.ts";
import { readableName } from "./readable-name.ts";
import { realTarget } from "./real-path.ts";
import { makeParents } from "./replace-file.ts";
import { type FilePlace, namePath } from "./resolve-path.ts";
import { guarded } from "./system-failure.ts";
import { countInto, entryAt, type TreeSize, walkTree } from "./walk-tree.ts";

export async function copyFiles(request: FileCopyRequest, place: FilePlace): Promise<Result<FileCopyResult>> {
  const named = namePath(request.from, place);
  if (!named.ok) return named;
  const from = named.value.absolute;
  return guarded(from, async () => {
    const real = await realTarget(from);
    await stat(real);
    const to = await guarded(request.to, () => destinationOf(request.to, from, place));
    if (!to.ok) return to;
    // A copy onto a symlink goes to what it leads to, as a write does.
    const target = { path: to.value.path, real: await realTarget(to.value.real) };
    return withPaths([real, target.real], () =>
      guarded(target.path, () => copyEntry(request, { path: from, real }, target)),
    );
  });
}

async function copyEntry(
  { overwrite, dry_run }: FileCopyRequest,
  from: Destination,
  to: Destination,
): Promise<Result<FileCopyResult>> {
  const kind = kindOf(await lstat(from.real));
  if (from.real === to.real)
    return fail({ reason: "invalid_request", message: `"${from.path}" and "${to.path}" are the same file.` });
  const inside = await intoItself(from.real, to.real);
  if (!inside.ok) return inside;
  const there = await kindAt(to.real);
  const fits = overwrite && (there === "directory") === (kind === "directory");
  if (there !== null && !fits) return fail({ reason: "exists", path: to.path, kind: KIND_NAMES[there] });
  const bounds = { expected: "a file, a directory or a symlink", most: limits.fileTreeMaxEntries };
  const copyable = await checkCopyable(from, bounds);
  if (!copyable.ok) return copyable;
  const planned = await plan(from, to);
  if (!planned.ok) return planned;
  if (!dry_run) {
    await makeParents(dirname(to.real));
    if (there !== null) await copyOver(from.real, to.real);
    else if (!(await copyNew(from.real, to.real)))
      return fail({ reason: "exists", path: to.path, kind: "it came meanwhile" });
  }
  return succeed({ from: from.path, to: to.path, kind, dry_run, ...planned.value });
}

/** What there is to copy, and that nothing of another kind is in its place. */
async function plan(from: Destination, to: Destination): Promise<Result<TreeSize & { replaced: number }>> {
  const planned = { files: 0, directories: 0, bytes: 0, replaced: 0 };
  for await (const entry of walkTree(from.real)) {
    countInto(planned, entry);
    const there = await kindAt(entryAt(to.real, entry));
    if (there === null) continue;
    if ((there === "directory") !== (entry.kind === "directory"))
      return fail({ reason: "exists", path: readableName(entryAt(to.path, entry)).text, kind: KIND_NAMES[there] });
    if (there !== "directory") planned.replaced++;
  }
  return succeed(planned);
}
