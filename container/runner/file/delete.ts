// file-delete: an entry, and with `recursive` everything in it.

import { lstat, readdir, rm, rmdir, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileDeleteRequest, FileDeleteResult } from "../../../src/contract/file-delete.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { kindOf } from "./kind.ts";
import { withPaths } from "./path-lock.ts";
import { type FilePlace, namePath } from "./place.ts";
import { protectedFailure } from "./protected-path.ts";
import { realEntry } from "./real-path.ts";
import { syncDirectory } from "./replace-file.ts";
import { guarded } from "./system-failure.ts";
import { countInto, type TreeSize, walkTree } from "./walk-tree.ts";

export async function deleteFile(request: FileDeleteRequest, place: FilePlace): Promise<Result<FileDeleteResult>> {
  const named = namePath(request.path, place);
  if (!named.ok) return named;
  const path = named.value.absolute;
  return guarded(path, async () => {
    const real = await realEntry(path);
    const refusal = protectedFailure("deleted", [path, real], place);
    if (refusal !== null) return fail(refusal);
    return withPaths([real], () => deleteEntry(request, path, real));
  });
}

async function deleteEntry(
  { recursive, dry_run }: FileDeleteRequest,
  path: string,
  real: string,
): Promise<Result<FileDeleteResult>> {
  const kind = kindOf(await lstat(real));
  const entries = kind === "directory" ? (await readdir(real)).length : 0;
  if (entries > 0 && !recursive) return fail({ reason: "not_empty", path, entries });
  const size: TreeSize = { files: 0, directories: 0, bytes: 0 };
  for await (const entry of walkTree(real)) countInto(size, entry);
  if (!dry_run) {
    if (kind !== "directory") await unlink(real);
    else if (recursive) await rm(real, { recursive: true, maxRetries: 3 });
    else await rmdir(real);
    await syncDirectory(dirname(real));
  }
  return succeed({ path, kind, dry_run, ...size });
}
