// The directories that checkpoints keep: the workspace, the home directory, and those that a setting adds.

import { lstatSync } from "node:fs";
import { normalize } from "node:path";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { KIND_NAMES, kindOf } from "../file/kind.ts";
import type { RunnerOptions } from "../options.ts";

export interface KeptDirectories {
  /** Relative to `/`, none inside another. A directory that does not exist is kept as missing. */
  directories: readonly string[];
  /** Paths inside them that belong to this machine only, relative to `/`. */
  excluded: readonly string[];
}

/** Fails when a directory has been replaced by something else: following a link would write elsewhere. */
export function keptDirectories(options: RunnerOptions, extraDirectories: readonly string[]): Result<KeptDirectories> {
  const wanted = [options.workspace, options.home, ...extraDirectories].map((path) =>
    normalize(path).replace(/\/+$/, ""),
  );
  const directories = [...new Set(wanted)].filter(
    (path) => path !== "" && !wanted.some((other) => path.startsWith(`${other}/`)),
  );
  const unprintable = directories.find((path) => !/^[ -~]+$/.test(path));
  if (unprintable !== undefined) {
    const message = `the name of "${unprintable}" must consist of printable ASCII characters`;
    return fail({ reason: "checkpoint_failed", message });
  }
  for (const path of directories) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isDirectory()) {
      const message = `"${path}" is ${KIND_NAMES[kindOf(stats)]}, not a directory; replace it with a directory`;
      return fail({ reason: "checkpoint_failed", message });
    }
  }
  return succeed({
    directories: directories.map((path) => path.slice(1)),
    excluded: [options.stateDirectory, options.archiveDirectory, options.logDirectory].map((path) => path.slice(1)),
  });
}

export const isWithin = (path: string, directories: readonly string[]): boolean =>
  directories.some((directory) => path === directory || path.startsWith(`${directory}/`));
