// Whether ignore files above a directory name it or a directory it is in. ripgrep applies them to what is inside also when
// the directory itself was named, so it has to be told not to.

import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { compileGlob } from "./glob.ts";

const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"];

export async function isIgnored(directory: string): Promise<boolean> {
  const above: string[] = [];
  for (let at = dirname(directory); ; at = dirname(at)) {
    above.push(at);
    if (at === dirname(at)) break;
  }
  const verdicts = await Promise.all(above.map((at) => verdict(at, relative(at, directory))));
  return verdicts.find((ignored) => ignored !== null) ?? false;
}

/** Of the ignore files in one directory on a path below it; null where they say nothing. The nearest directory decides. */
async function verdict(directory: string, path: string): Promise<boolean | null> {
  const texts = await Promise.all(IGNORE_FILES.map((name) => readIfThere(join(directory, name))));
  const rules = texts
    .flatMap((text) => text.split(/\r?\n/))
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const parts = path.split("/");
  for (let depth = 1; depth <= parts.length; depth++) {
    const decided = decide(rules, parts.slice(0, depth).join("/"));
    // What is inside of an ignored directory cannot be taken back in.
    if (decided === true) return true;
    if (depth === parts.length) return decided;
  }
  return null;
}

function decide(rules: readonly string[], path: string): boolean | null {
  let decided: boolean | null = null;
  for (const rule of rules) {
    const negated = rule.startsWith("!");
    const pattern = (negated ? rule.slice(1) : rule).trimEnd().replace(/(?<=[^\\/])\/+$/, "");
    // A pattern for everything in a directory counts as one for the directory: nothing of it would be searched.
    const glob = compileGlob(pattern.replace(/(?<=.)\/\*\*?$/, ""), { ignoreCase: false });
    if (typeof glob !== "string" && glob.matches(path)) decided = !negated;
  }
  return decided;
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return "";
  }
}
