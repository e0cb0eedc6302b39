// The way of every change of one file: its path resolved, its lock held, and the change begun again when a program outside
// came between.

import type { Failure } from "../../../src/contract/failure.ts";
import type { FileWritten } from "../../../src/contract/file.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result } from "../../../src/contract/result.ts";
import { changeDiff } from "./change-diff.ts";
import { hashFile, hashOf } from "./file-hash.ts";
import { type Opened, openRegular, type Seen } from "./open-regular.ts";
import { withPaths } from "./path-lock.ts";
import { placeReport, realTarget } from "./real-path.ts";
import { type FilePlace, namePath } from "./resolve-path.ts";
import { errorCode, guarded } from "./system-failure.ts";

export interface Target {
  /** As the caller named it. */
  path: string;
  /** Its symlinks followed. */
  real: string;
}

const TRIES = 5;

/** `attempt` answers "changed" when the file was not what it had read any more, and nothing was done. */
export async function changing<Value>(
  text: string,
  place: FilePlace,
  attempt: (target: Target) => Promise<Result<Value> | "changed">,
): Promise<Result<Value>> {
  const named = namePath(text, place);
  if (!named.ok) return named;
  const { absolute: path, directory } = named.value;
  if (directory) return fail(directoryNamed(path));
  return guarded(path, async () => {
    const real = await realTarget(path);
    return withPaths([real], async () => {
      for (let tries = 0; tries < TRIES; tries++) {
        const result = await attempt({ path, real });
        if (result !== "changed") return result;
      }
      const message =
        "another program changes it all the time, and nothing was written. Look for it with process list.";
      return fail({ reason: "refused", subject: `"${path}"`, message });
    });
  });
}

const directoryNamed = (path: string): Failure => ({
  reason: "wrong_kind",
  path: `${path}/`,
  expected: "a file",
  actual: "a directory's name, by its slash",
});

/** Null where there is no file yet. */
export async function openExisting({ path, real }: Target): Promise<Result<Opened> | null> {
  try {
    return await openRegular(path, real);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Null where the file is the one that `expected` names, or none was named. */
export async function hashFailure(path: string, expected: string | null, file: Opened | null): Promise<Failure | null> {
  if (expected === null) return null;
  const actual = file === null ? null : await hashFile(file.handle, file.size, hashLimit(file.size));
  return actual?.startsWith(expected) ? null : { reason: "changed", path, actual };
}

/** What was asked for is made at any size, but of what says none: that may be a file of the kernel without an end. */
const hashLimit = (size: number): number => (size === 0 ? limits.fileHashMaxBytes : Number.POSITIVE_INFINITY);

export interface Change {
  after: Buffer;
  seen: Seen | null;
  dryRun: boolean;
  inPlace: boolean;
  /** Of what is shown of both; null where there is nothing to show. */
  shown: { before: Buffer; after: Buffer } | null;
}

export function writtenReport({ path, real }: Target, change: Change): FileWritten {
  const { seen, after, shown } = change;
  return {
    ...placeReport(path, real),
    dry_run: change.dryRun,
    size_before: seen === null ? null : Number(seen.size),
    size: after.length,
    sha256: after.length > limits.fileHashMaxBytes ? null : hashOf(after),
    diff: shown === null ? null : changeDiff(shown.before, shown.after),
    other_links: seen === null || change.inPlace ? 0 : seen.links - 1,
    in_place: change.inPlace,
  };
}
