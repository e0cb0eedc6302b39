// file-mkdir: creates a directory and its missing parents.

import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileMkdirRequest, FileMkdirResult } from "../../../src/contract/file-mkdir.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { errorCode } from "./error-code.ts";
import { kindOf, wrongKind } from "./kind.ts";
import { withPathLocks } from "./path-lock.ts";
import { pathReport, realTarget } from "./real-path.ts";
import { makeParents } from "./replace-file.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";
import { asFailure } from "./system-failure.ts";

export async function makeDirectory(request: FileMkdirRequest, roots: PathRoots): Promise<Result<FileMkdirResult>> {
  const resolved = resolvePath(request.path, roots);
  if (!resolved.ok) return resolved;
  const path = resolved.value.absolute;
  return asFailure(path, async () => {
    const real = await realTarget(path);
    return withPathLocks([real], async () => {
      const created = await missingDirectories(real);
      if (!created.ok) return created;
      if (!request.dry_run && created.value.length > 0) await makeParents(real);
      return succeed({ ...pathReport(path, real), dry_run: request.dry_run, created: created.value });
    });
  });
}

/** The missing directories from the top down. Fails when a parent is not a directory. */
async function missingDirectories(path: string): Promise<Result<string[]>> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const entry = await stat(at).catch((error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw error;
      return null;
    });
    if (entry === null) missing.unshift(at);
    else return entry.isDirectory() ? succeed(missing) : fail(wrongKind(at, "a directory", kindOf(entry)));
  }
}
