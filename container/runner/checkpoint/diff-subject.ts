// The path that a diff is asked about, and which entries of manifests are at or below it.

import { resolve } from "node:path";
import { isWithin } from "./kept-directories.ts";

export interface DiffSubject {
  /** Absolute, as it was asked for. */
  path: string;
  isAt(entryPath: string): boolean;
  isAtOrBelow(entryPath: string): boolean;
  /** The path is above one of the directories, and therefore in no manifest. */
  isAbove(directories: readonly string[]): boolean;
  /** None of the directories holds the path, or is below it. */
  isOutside(directories: readonly string[], excluded: readonly string[]): boolean;
}

/** A trailing slash, `.` and `..` are resolved. U+FFFD stands for bytes that are not UTF-8, as in the lists of a diff. */
export function diffSubject(path: string, workspace: string): DiffSubject {
  const absolute = resolve(workspace, path);
  const wanted = Buffer.from(absolute.slice(1)).toString("latin1");
  const isApproximate = absolute.includes("\ufffd");
  const comparable = (entryPath: string): string =>
    isApproximate ? Buffer.from(Buffer.from(entryPath, "latin1").toString("utf8")).toString("latin1") : entryPath;
  const isAbove = (directories: readonly string[]): boolean =>
    directories.some((path) => path !== wanted && (wanted === "" || isWithin(path, [wanted])));
  return {
    path: absolute,
    isAbove,
    isAt: (entryPath) => comparable(entryPath) === wanted,
    isAtOrBelow: (entryPath) => wanted === "" || isWithin(comparable(entryPath), [wanted]),
    isOutside: (directories, excluded) =>
      isWithin(wanted, excluded) || !(isWithin(wanted, directories) || isAbove(directories)),
  };
}
