// file-delete: deletes an entry, and with `recursive` everything in it.

import { lstat, rmdir, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileDeleteRequest, FileDeleteResult } from "../../../src/contract/file-delete.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { countNames } from "./directory-names.ts";
import { errorCode } from "./error-code.ts";
import { kindOf } from "./kind.ts";
import { withPathLocks } from "./path-lock.ts";
import { protectedFailure } from "./protected-path.ts";
import { realEntry } from "./real-path.ts";
import { removeTree } from "./remove-tree.ts";
import { syncDirectory } from "./replace-file.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";
import { surveyTree } from "./survey-tree.ts";
import { asFailure } from "./system-failure.ts";
import { countInto, type TreeSize, walkTree } from "./walk-tree.ts";

export async function deleteFile(request: FileDeleteRequest, roots: PathRoots): Promise<Result<FileDeleteResult>> {
  const resolved = resolvePath(request.path, roots);
  if (!resolved.ok) return resolved;
  const path = resolved.value.absolute;
  return asFailure(path, async () => {
    const real = await realEntry(path);
    const refusal = protectedFailure("deleted", [path, real], roots);
    if (refusal !== null) return fail(refusal);
    return withPathLocks([real], () => deleteEntry(request, path, real));
  });
}

async function deleteEntry(
  { recursive, dry_run }: FileDeleteRequest,
  path: string,
  real: string,
): Promise<Result<FileDeleteResult>> {
  const kind = kindOf(await lstat(real));
  const entries = kind === "directory" ? await countNames(real) : 0;
  if (entries > 0 && !recursive) return fail({ reason: "not_empty", path, entries });
  const size = await sizeOf(real);
  if (!dry_run) {
    if (kind !== "directory") await unlink(real);
    else if (recursive) await removeTree(real);
    else await rmdir(real);
    await syncDirectory(dirname(real));
  }
  return succeed({ path, kind, dry_run, ...size });
}

/** Counts as far as it can. An incomplete count does not prevent the deletion. */
async function sizeOf(real: string): Promise<TreeSize & { counted_all: boolean }> {
  const survey = await surveyTree(real, { maxEntries: limits.fileTreeMaxEntries, toCopy: false });
  if (survey !== null) {
    const { files, directories, bytes, isComplete } = survey;
    return { files, directories, bytes, counted_all: isComplete };
  }
  const size: TreeSize = { files: 0, directories: 0, bytes: 0 };
  try {
    for await (const entry of walkTree(real)) {
      if (size.files + size.directories === limits.fileTreeMaxEntries) return { ...size, counted_all: false };
      countInto(size, entry);
    }
    return { ...size, counted_all: true };
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return { ...size, counted_all: false };
  }
}
