// Whether ignore files above a directory ignore it or one of its parents. ripgrep then ignores its contents even when the
// directory itself is the one to search, so it has to be told not to.

import { dirname, join, relative } from "node:path";
import { readIgnoreFiles } from "../file/ignore-file.ts";

/** Later files override earlier ones. */
const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"];

/** A placeholder name for any entry inside: a rule that ignores everything in a directory counts as one for the directory. */
const INSIDE = "\u0001";

export async function isIgnored(directory: string): Promise<boolean> {
  // The nearest directory decides.
  for (let at = dirname(directory); ; at = dirname(at)) {
    const decided = await verdict(at, relative(at, directory));
    if (decided !== null) return decided;
    if (at === dirname(at)) return false;
  }
}

/** What the ignore files in one directory say about a path below it; null when they have no rule for it. */
async function verdict(directory: string, path: string): Promise<boolean | null> {
  const rules = await readIgnoreFiles(IGNORE_FILES.map((name) => join(directory, name)));
  if (rules === null) return null;
  if (rules.test(`${path}/${INSIDE}`).ignored) return true;
  return rules.test(`${path}/`).unignored ? false : null;
}
