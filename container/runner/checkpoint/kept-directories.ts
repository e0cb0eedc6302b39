// The directories that checkpoints keep: the workspace, the home directory, and more by setting.

import { lstatSync } from "node:fs";
import { normalize } from "node:path";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerOptions } from "../options.ts";

export interface Kept {
  /** Relative to `/`, none within another. Those that are missing are kept as missing. */
  directories: readonly string[];
  /** Below them but of this machine only, relative to `/`. */
  left: readonly string[];
}

/** Refuses a directory that has become something else: to follow a link would be to write elsewhere. */
export function keptDirectories(options: RunnerOptions, more: readonly string[]): Result<Kept> {
  const wanted = [options.workspace, options.home, ...more].map((path) => normalize(path).replace(/\/+$/, ""));
  const directories = [...new Set(wanted)].filter(
    (path) => path !== "" && !wanted.some((other) => path.startsWith(`${other}/`)),
  );
  const odd = directories.find((path) => !/^[ -~]+$/.test(path));
  if (odd !== undefined)
    return fail({ reason: "checkpoint_failed", message: `"${odd}" must be a name of plain ASCII` });
  for (const path of directories) {
    const kind = kindOf(path);
    if (kind !== "a directory" && kind !== null) {
      return fail({ reason: "checkpoint_failed", message: `"${path}" is ${kind}, not a directory; make it one again` });
    }
  }
  return succeed({
    directories: directories.map((path) => path.slice(1)),
    left: [options.stateDirectory, options.logDirectory].map((path) => path.slice(1)),
  });
}

function kindOf(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  return stat.isDirectory() ? "a directory" : stat.isSymbolicLink() ? "a symlink" : "a file";
}

export const isWithin = (path: string, directories: readonly string[]): boolean =>
  directories.some((directory) => path === directory || path.startsWith(`${directory}/`));
