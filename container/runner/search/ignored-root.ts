// Whether ignore files above a directory name it or a directory it is in. ripgrep applies them to what is inside also when
// the directory itself was named, so it has to be told not to.

import { dirname, join, relative } from "node:path";
import { readIgnoreFiles } from "../file/ignore-file.ts";

/** The later ones count for more. */
const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"];

/** Stands for whatever is inside: a rule for everything in a directory counts as one for the directory. */
const INSIDE = "\u0001";

export async function isIgnored(directory: string): Promise<boolean> {
  // The nearest directory decides.
  for (let at = dirname(directory); ; at = dirname(at)) {
    const decided = await verdict(at, relative(at, directory));
    if (decided !== null) return decided;
    if (at === dirname(at)) return false;
  }
}

/** Of the ignore files in one directory on a path below it; null where they say nothing. */
async function verdict(directory: string, path: string): Promise<boolean | null> {
  const rules = await readIgnoreFiles(IGNORE_FILES.map((name) => join(directory, name)));
  if (rules === null) return null;
  if (rules.test(`${path}/${INSIDE}`).ignored) return true;
  return rules.test(`${path}/`).unignored ? false : null;
}
