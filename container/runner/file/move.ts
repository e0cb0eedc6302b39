// file-move: renames an entry, or copies and then deletes it when the target is on another file system.

import { lstat, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileKind } from "../../../src/contract/file.ts";
import type { FileMoveRequest, FileMoveResult } from "../../../src/contract/file-move.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { type CopyTarget, checkNotIntoItself, createdDuringCall, kindAt, resolveCopyTarget } from "./copy-target.ts";
import { copyNew, copyOver } from "./copy-tree.ts";
import { checkCopyable } from "./copyable.ts";
import { errorCode } from "./error-code.ts";
import { KIND_NAMES, kindOf } from "./kind.ts";
import { withPathLocks } from "./path-lock.ts";
import { protectedFailure } from "./protected-path.ts";
import { realEntry } from "./real-path.ts";
import { removeTree } from "./remove-tree.ts";
import { linkNew, makeParents, syncDirectory } from "./replace-file.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";
import { asFailure } from "./system-failure.ts";

export async function moveFile(request: FileMoveRequest, roots: PathRoots): Promise<Result<FileMoveResult>> {
  const resolved = resolvePath(request.from, roots);
  if (!resolved.ok) return resolved;
  const from = resolved.value.absolute;
  return asFailure(from, async () => {
    const real = await realEntry(from);
    const refusal = protectedFailure("moved", [from, real], roots);
    if (refusal !== null) return fail(refusal);
    await lstat(real);
    const to = await asFailure(request.to, () => resolveCopyTarget(request.to, from, roots));
    if (!to.ok) return to;
    return withPathLocks([real, to.value.real], () =>
      asFailure(to.value.path, () => moveEntry(request, { path: from, real }, to.value)),
    );
  });
}

async function moveEntry(
  { overwrite, dry_run }: FileMoveRequest,
  from: CopyTarget,
  to: CopyTarget,
): Promise<Result<FileMoveResult>> {
  const kind = kindOf(await lstat(from.real));
  if (from.real === to.real)
    return fail({ reason: "invalid_request", message: `"${from.path}" is already there: both paths are the same.` });
  const inside = await checkNotIntoItself(from.real, to.real);
  if (!inside.ok) return inside;
  const existing = await kindAt(to.real);
  const canReplace = overwrite && existing !== "directory" && kind !== "directory";
  if (existing !== null && !canReplace) return fail({ reason: "exists", path: to.path, kind: KIND_NAMES[existing] });
  // Checked before any directory is created, because the move may have to copy.
  const isRename = await isOnSameFileSystem(from.real, to.real);
  const movable = isRename ? succeed(null) : await checkCopyable(from, BOUNDS);
  if (!movable.ok) return movable;
  if (!dry_run) {
    await makeParents(dirname(to.real));
    const moved = await moveTo(from, to.real, { kind, replace: existing !== null });
    if (!moved.ok) return moved;
    if (!moved.value) return fail(createdDuringCall(to.path));
    await syncDirectory(dirname(to.real));
    await syncDirectory(dirname(from.real));
  }
  return succeed({ from: from.path, to: to.path, kind, dry_run, replaced: existing !== null });
}

/** What can be copied to another file system. */
const BOUNDS = { expected: "a file, a directory or a symlink", maxEntries: limits.fileTreeMaxEntries };

/** Two mounts of one file system also count as the same; only the attempt to rename tells them apart. */
async function isOnSameFileSystem(from: string, to: string): Promise<boolean> {
  const { dev } = await lstat(from);
  for (let above = dirname(to); ; above = dirname(above)) {
    const directory = (await kindAt(above)) === null ? null : await stat(above);
    if (directory !== null) return directory.dev === dev;
  }
}

interface Move {
  kind: FileKind;
  /** There is an entry at the target, which is replaced. */
  replace: boolean;
}

/** Resolves to false when something else has taken the name. */
async function moveTo(source: CopyTarget, to: string, { kind, replace }: Move): Promise<Result<boolean>> {
  const from = source.real;
  try {
    if (kind === "file" && !replace) return succeed(await linkNew(from, to));
    // A rename between two hard links to one file does nothing on Linux.
    if (replace && (await isSameFile(from, to))) await unlink(from);
    else await rename(from, to);
    return succeed(true);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
  }
  const copyable = await checkCopyable(source, BOUNDS);
  if (!copyable.ok) return copyable;
  if (replace) await copyOver(from, to);
  else if (!(await copyNew(from, to, copyable.value))) return succeed(false);
  await removeTree(from);
  return succeed(true);
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  const [first, second] = [await lstat(a, { bigint: true }), await lstat(b, { bigint: true })];
  return first.dev === second.dev && first.ino === second.ino;
}
