// file-move: a rename, or across file systems a copy and then a delete.

import { lstat, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileKind } from "../../../src/contract/file.ts";
import type { FileMoveRequest, FileMoveResult } from "../../../src/contract/file-move.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { type Destination, destinationOf, intoItself, kindAt } from "./copy-target.ts";
import { copyNew, copyOver } from "./copy-tree.ts";
import { checkCopyable } from "./copyable.ts";
import { KIND_NAMES, kindOf } from "./kind.ts";
import { withPaths } from "./path-lock.ts";
import { protectedFailure } from "./protected-path.ts";
import { realEntry } from "./real-path.ts";
import { linkNew, makeParents, syncDirectory } from "./replace-file.ts";
import { type FilePlace, namePath } from "./resolve-path.ts";
import { errorCode, guarded } from "./system-failure.ts";

export async function moveFile(request: FileMoveRequest, place: FilePlace): Promise<Result<FileMoveResult>> {
  const named = namePath(request.from, place);
  if (!named.ok) return named;
  const from = named.value.absolute;
  return guarded(from, async () => {
    const real = await realEntry(from);
    const refusal = protectedFailure("moved", [from, real], place);
    if (refusal !== null) return fail(refusal);
    await lstat(real);
    const to = await guarded(request.to, () => destinationOf(request.to, from, place));
    if (!to.ok) return to;
    return withPaths([real, to.value.real], () =>
      guarded(to.value.path, () => moveEntry(request, { path: from, real }, to.value)),
    );
  });
}

async function moveEntry(
  { overwrite, dry_run }: FileMoveRequest,
  from: Destination,
  to: Destination,
): Promise<Result<FileMoveResult>> {
  const kind = kindOf(await lstat(from.real));
  if (from.real === to.real)
    return fail({ reason: "invalid_request", message: `"${from.path}" is already there: both paths are the same.` });
  const inside = await intoItself(from.real, to.real);
  if (!inside.ok) return inside;
  const there = await kindAt(to.real);
  const replaceable = overwrite && there !== "directory" && kind !== "directory";
  if (there !== null && !replaceable) return fail({ reason: "exists", path: to.path, kind: KIND_NAMES[there] });
  // Looked at before anything is made: the move may turn out to be a copy.
  const movable = (await isNear(from.real, to.real)) ? succeed(null) : await checkCopyable(from, BOUNDS);
  if (!movable.ok) return movable;
  if (!dry_run) {
    await makeParents(dirname(to.real));
    const moved = await moveTo(from, to.real, { kind, replace: there !== null });
    if (!moved.ok) return moved;
    if (!moved.value) return fail({ reason: "exists", path: to.path, kind: "it came meanwhile" });
    await syncDirectory(dirname(to.real));
    await syncDirectory(dirname(from.real));
  }
  return succeed({ from: from.path, to: to.path, kind, dry_run, replaced: there !== null });
}

/** What another file system takes. */
const BOUNDS = { expected: "something another file system can hold", most: limits.fileTreeMaxEntries };

/** On one file system; two mounts of it are told apart only by the attempt. */
async function isNear(from: string, to: string): Promise<boolean> {
  const { dev } = await lstat(from);
  for (let above = dirname(to); ; above = dirname(above)) {
    const directory = (await kindAt(above)) === null ? null : await stat(above);
    if (directory !== null) return directory.dev === dev;
  }
}

interface Move {
  kind: FileKind;
  /** There is something at the destination, and it goes. */
  replace: boolean;
}

/** False where something has taken the name. */
async function moveTo(source: Destination, to: string, { kind, replace }: Move): Promise<Result<boolean>> {
  const from = source.real;
  try {
    if (kind === "file" && !replace) return succeed(await linkNew(from, to));
    // Linux leaves both names of one file where they are.
    if (replace && (await isOneFile(from, to))) await unlink(from);
    else await rename(from, to);
    return succeed(true);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
  }
  const copyable = await checkCopyable(source, BOUNDS);
  if (!copyable.ok) return copyable;
  if (replace) await copyOver(from, to);
  else if (!(await copyNew(from, to))) return succeed(false);
  await rm(from, { recursive: true });
  return succeed(true);
}

async function isOneFile(a: string, b: string): Promise<boolean> {
  const [first, second] = [await lstat(a, { bigint: true }), await lstat(b, { bigint: true })];
  return first.dev === second.dev && first.ino === second.ino;
}
