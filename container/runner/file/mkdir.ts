// file-mkdir: a directory, with those above it.

import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileMkdirRequest, FileMkdirResult } from "../../../src/contract/file-mkdir.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { kindOf, wrongKind } from "./kind.ts";
import { withPaths } from "./path-lock.ts";
import { placeReport, realTarget } from "./real-path.ts";
import { makeParents } from "./replace-file.ts";
import { type FilePlace, namePath } from "./resolve-path.ts";
import { errorCode, guarded } from "./system-failure.ts";

export async function makeDirectory(request: FileMkdirRequest, place: FilePlace): Promise<Result<FileMkdirResult>> {
  const named = namePath(request.path, place);
  if (!named.ok) return named;
  const path = named.value.absolute;
  return guarded(path, async () => {
    const real = await realTarget(path);
    return withPaths([real], async () => {
      const created = await missingDirectories(real);
      if (!created.ok) return created;
      if (!request.dry_run && created.value.length > 0) await makeParents(real);
      return succeed({ ...placeReport(path, real), dry_run: request.dry_run, created: created.value });
    });
  });
}

/** From the top down; a failure where one of those above is no directory. */
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
