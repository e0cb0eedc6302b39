// Which entries gitignore rules leave out: those of each directory on the way, the nearest first, as git reads them.

import { stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Ignore } from "ignore";
import { readIgnoreFiles } from "./ignore-file.ts";

interface RuleSet {
  directory: string;
  rules: Ignore;
}

/** The rules that hold in one directory, its own last. */
export type IgnoreRules = readonly RuleSet[];

/**
 * The rules that hold in `directory`, from the top of its git repository down. Where those rules ignore the directory itself,
 * whoever named it wants to see it: then only what is below counts.
 */
export async function rulesFor(directory: string): Promise<IgnoreRules> {
  const top = await repositoryOf(directory);
  if (top === null) return withOwn([], directory);
  const excludes = await readIgnoreFiles([join(top, ".git/info/exclude")]);
  let rules: IgnoreRules = excludes === null ? [] : [{ directory: top, rules: excludes }];
  const parts = relative(top, directory).split("/").filter(Boolean);
  let at = top;
  for (const part of parts) {
    rules = await withOwn(rules, at);
    if (isIgnored(rules, join(at, part), true)) return withOwn([], directory);
    at = join(at, part);
  }
  return withOwn(rules, directory);
}

export async function withOwn(rules: IgnoreRules, directory: string): Promise<IgnoreRules> {
  const own = await readIgnoreFiles([join(directory, ".gitignore")]);
  return own === null ? rules : [...rules, { directory, rules: own }];
}

/** The last word has the nearest directory that says anything. */
export function isIgnored(rules: IgnoreRules, path: string, isDirectory: boolean): boolean {
  for (const { directory, rules: own } of rules.toReversed()) {
    const name = relative(directory, path);
    const { ignored, unignored } = own.test(isDirectory ? `${name}/` : name);
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function repositoryOf(directory: string): Promise<string | null> {
  for (let at = directory; ; at = dirname(at)) {
    if (await stat(join(at, ".git")).catch(() => null)) return at;
    if (at === "/") return null;
  }
}
