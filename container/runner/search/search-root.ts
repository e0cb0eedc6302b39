// Resolves the path at which a search starts, and checks its kind: ripgrep would block on a FIFO for ever.

import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { kindOf, wrongKind } from "../file/kind.ts";
import { type PathRoots, resolvePath } from "../file/resolve-path.ts";
import { asFailure } from "../file/system-failure.ts";

export interface SearchRoot {
  readonly absolute: string;
  /** The argument for ripgrep, with which its output begins: relative to the workspace when it is inside it. */
  readonly argument: string;
  readonly isFile: boolean;
}

export async function resolveRoot(path: string, roots: PathRoots): Promise<Result<SearchRoot>> {
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

/** Relative to the workspace for a path inside it, else absolute. */
function shownPath(absolute: string, workspace: string): string {
  const path = relative(workspace, absolute);
  if (path === "") return ".";
  return path === ".." || path.startsWith("../") ? absolute : path;
}
