// Where a move or a copy goes: to the path given, or into the directory given with a trailing slash.

import { lstat, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Failure } from "../../../src/contract/failure.ts";
import type { FileKind } from "../../../src/contract/file.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { errorCode } from "./error-code.ts";
import { kindOf } from "./kind.ts";
import { realEntry } from "./real-path.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";

export interface CopyTarget {
  path: string;
  /** The path with the symlinks of its directory followed, but not that of its last name. */
  real: string;
}

export async function resolveCopyTarget(to: string, from: string, roots: PathRoots): Promise<Result<CopyTarget>> {
  const resolved = resolvePath(to, roots);
  if (!resolved.ok) return resolved;
  const path = resolved.value.namesDirectory ? join(resolved.value.absolute, basename(from)) : resolved.value.absolute;
  return succeed({ path, real: await realEntry(path) });
}

/** Null when nothing is there. */
export async function kindAt(real: string | Buffer): Promise<FileKind | null> {
  try {
    return kindOf(await lstat(real));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Another program has created an entry at `path` since the call checked that there was none. */
export const createdDuringCall = (path: string): Failure => ({
  reason: "exists",
  path,
  kind: "created by another program during this call",
});

/** Fails when `from` is a directory and `to` is inside it. */
export async function checkNotIntoItself(from: string, to: string): Promise<Result<null>> {
  const isInside = to.startsWith(`${from}/`) && (await stat(from)).isDirectory();
  if (!isInside) return succeed(null);
  const message = `"${to}" is inside "${from}", and a directory cannot be moved or copied into itself. Nothing was changed. Choose a path outside it.`;
  return fail({ reason: "invalid_request", message });
}
