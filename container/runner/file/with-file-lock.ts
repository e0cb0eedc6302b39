// What every change of one file has in common: the path is resolved, the lock is held, and the change starts again when another
// program has changed the file in between.

import type { Failure } from "../../../src/contract/failure.ts";
import type { FileWritten } from "../../../src/contract/file.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result } from "../../../src/contract/result.ts";
import { changeDiff } from "./change-diff.ts";
import { errorCode } from "./error-code.ts";
import { hashFile, hashOf } from "./file-hash.ts";
import { type FileVersion, type OpenedFile, openRegular } from "./open-regular.ts";
import { withPathLocks } from "./path-lock.ts";
import { pathReport, realTarget } from "./real-path.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";
import { asFailure } from "./system-failure.ts";

export interface Target {
  /** The absolute path that the caller gave. */
  path: string;
  /** The path with its symlinks followed. */
  real: string;
}

const TRIES = 5;

/** `attempt` resolves to "changed" when the file changed after it was read, and nothing was written. */
export async function withFileLock<Value>(
  text: string,
  roots: PathRoots,
  attempt: (target: Target) => Promise<Result<Value> | "changed">,
): Promise<Result<Value>> {
  const resolved = resolvePath(text, roots);
  if (!resolved.ok) return resolved;
  const { absolute: path, namesDirectory } = resolved.value;
  if (namesDirectory) return fail(namedAsDirectory(path));
  return asFailure(path, async () => {
    const real = await realTarget(path);
    return withPathLocks([real], async () => {
      for (let tries = 0; tries < TRIES; tries++) {
        const result = await attempt({ path, real });
        if (result !== "changed") return result;
      }
      const message =
        "another program keeps changing it, and nothing was written. Find the program with process list, then try again.";
      return fail({ reason: "refused", subject: `"${path}"`, message });
    });
  });
}

const namedAsDirectory = (path: string): Failure => ({
  reason: "wrong_kind",
  path: `${path}/`,
  expected: "a file",
  actual: 'a directory path (it ends with "/")',
});

/** Null when the file does not exist yet. */
export async function openExisting({ path, real }: Target): Promise<Result<OpenedFile> | null> {
  try {
    return await openRegular(path, real);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Null when the file has the expected hash, or none is expected. `expected` may be only the first digits. */
export async function hashFailure(
  path: string,
  expected: string | null,
  file: OpenedFile | null,
): Promise<Failure | null> {
  if (expected === null) return null;
  const actual = file === null ? null : await hashFile(file.handle, file.size, hashLimit(file.size));
  return actual?.startsWith(expected) ? null : { reason: "changed", path, actual };
}

/** A file of any size is hashed, except for one that reports a size of 0: that may be a file in /proc without an end. */
const hashLimit = (size: number): number => (size === 0 ? limits.fileHashMaxBytes : Number.POSITIVE_INFINITY);

export interface Change {
  after: Buffer;
  /** The version that was replaced; null for a new file. */
  version: FileVersion | null;
  dryRun: boolean;
  inPlace: boolean;
  /** The text that the diff compares; null when there is no diff to show. */
  shown: { before: Buffer; after: Buffer } | null;
}

export function writtenReport({ path, real }: Target, change: Change): FileWritten {
  const { version, after, shown } = change;
  return {
    ...pathReport(path, real),
    dry_run: change.dryRun,
    size_before: version === null ? null : Number(version.size),
    size: after.length,
    sha256: after.length > limits.fileHashMaxBytes ? null : hashOf(after),
    diff: shown === null ? null : changeDiff(shown.before, shown.after),
    other_links: version === null || change.inPlace ? 0 : version.links - 1,
    in_place: change.inPlace,
  };
}
