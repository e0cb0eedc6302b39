// Where a search starts: the path that was named, looked at before ripgrep sees it (which would wait for a FIFO for ever).

import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { kindOf, wrongKind } from "../file/kind.ts";
import { type PathRoots, resolvePath } from "../file/resolve-path.ts";
import { asFailure } from "../file/system-failure.ts";

export interface SearchRoot {
  readonly absolute: string;
  /** As ripgrep gets it, and as its answers begin: relative to the workspace where it is inside. */
  readonly argument: string;
  readonly isFile: boolean;
}

export async function findRoot(path: string, roots: PathRoots): Promise<Result<SearchRoot>> {
  const resolved = resolvePath(path, roots);
  if (!resolved.ok) return resolved;
  const { absolute } = resolved.value;
  return asFailure(absolute, async () => {
    const found = await stat(absolute);
    if (!found.isFile() && !found.isDirectory()) {
      return fail(wrongKind(absolute, "a file or a directory", kindOf(found)));
    }
    return succeed({ absolute, argument: shownPath(absolute, roots.workspace), isFile: found.isFile() });
  });
}

/** Relative to the workspace where it is below it, else absolute. */
function shownPath(absolute: string, workspace: string): string {
  const path = relative(workspace, absolute);
  if (path === "") return ".";
  return path === ".." || path.startsWith("../") ? absolute : path;
}
