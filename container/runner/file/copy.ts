// file-copy: copies a file, or a directory with everything in it. Everything that could be refused is checked before anything
// is copied.

import { lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileCopyRequest, FileCopyResult } from "../../../src/contract/file-copy.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { type CopyTarget, checkNotIntoItself, createdDuringCall, kindAt, resolveCopyTarget } from "./copy-target.ts";
import { copyNew, copyOver } from "./copy-tree.ts";
import { checkCopyable } from "./copyable.ts";
import { KIND_NAMES, kindOf } from "./kind.ts";
import { withPathLocks } from "./path-lock.ts";
import { readableName } from "./readable-name.ts";
import { realTarget } from "./real-path.ts";
import { makeParents } from "./replace-file.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";
import { asFailure } from "./system-failure.ts";
import { countInto, entryAt, type TreeSize, walkTree } from "./walk-tree.ts";

export async function copyFiles(request: FileCopyRequest, roots: PathRoots): Promise<Result<FileCopyResult>> {
  const resolved = resolvePath(request.from, roots);
  if (!resolved.ok) return resolved;
  const from = resolved.value.absolute;
  return asFailure(from, async () => {
    const real = await realTarget(from);
    await stat(real);
    const to = await asFailure(request.to, () => resolveCopyTarget(request.to, from, roots));
    if (!to.ok) return to;
    // A copy onto a symlink goes to the symlink's target, as a write does.
    const target = { path: to.value.path, real: await realTarget(to.value.real) };
    return withPathLocks([real, target.real], () =>
      asFailure(target.path, () => copyEntry(request, { path: from, real }, target)),
    );
  });
}

async function copyEntry(
  { overwrite, dry_run }: FileCopyRequest,
  from: CopyTarget,
  to: CopyTarget,
): Promise<Result<FileCopyResult>> {
  const kind = kindOf(await lstat(from.real));
  if (from.real === to.real)
    return fail({ reason: "invalid_request", message: `"${from.path}" and "${to.path}" are the same file.` });
  const inside = await checkNotIntoItself(from.real, to.real);
  if (!inside.ok) return inside;
  const existing = await kindAt(to.real);
  const canReplace = overwrite && (existing === "directory") === (kind === "directory");
  if (existing !== null && !canReplace) return fail({ reason: "exists", path: to.path, kind: KIND_NAMES[existing] });
  const bounds = { expected: "a file, a directory or a symlink", maxEntries: limits.fileTreeMaxEntries };
  const copyable = await checkCopyable(from, bounds);
  if (!copyable.ok) return copyable;
  const planned = existing === null ? succeed({ ...copyable.value, replaced: 0 }) : await plan(from, to);
  if (!planned.ok) return planned;
  if (!dry_run) {
    await makeParents(dirname(to.real));
    if (existing !== null) await copyOver(from.real, to.real);
    else if (!(await copyNew(from.real, to.real, copyable.value))) return fail(createdDuringCall(to.path));
  }
  return succeed({ from: from.path, to: to.path, kind, dry_run, ...planned.value });
}

/** Counts what will be copied; fails when an entry of another kind is in the way. */
async function plan(from: CopyTarget, to: CopyTarget): Promise<Result<TreeSize & { replaced: number }>> {
  const planned = { files: 0, directories: 0, bytes: 0, replaced: 0 };
  for await (const entry of walkTree(from.real)) {
    countInto(planned, entry);
    const existing = await kindAt(entryAt(to.real, entry));
    if (existing === null) continue;
    if ((existing === "directory") !== (entry.kind === "directory"))
      return fail({ reason: "exists", path: readableName(entryAt(to.path, entry)).text, kind: KIND_NAMES[existing] });
    if (existing !== "directory") planned.replaced++;
  }
  return succeed(planned);
}
