// Which entries gitignore rules exclude. Each directory on the way may have rules; the nearest ones decide, as in git.

import { stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Ignore } from "ignore";
import { readIgnoreFiles } from "./ignore-file.ts";

interface RuleSet {
  directory: string;
  rules: Ignore;
}

/** The rules that apply in one directory, its own last. */
export type IgnoreRules = readonly RuleSet[];

/**
 * The rules that apply in `directory`, from the top of its git repository down. When those rules ignore the directory itself,
 * a caller that lists it wants to see its contents: then only the rules in it and below it count.
 */
export async function rulesFor(directory: string): Promise<IgnoreRules> {
  const top = await repositoryOf(directory);
  if (top === null) return withRulesOf([], directory);
  const excludes = await readIgnoreFiles([join(top, ".git/info/exclude")]);
  let rules: IgnoreRules = excludes === null ? [] : [{ directory: top, rules: excludes }];
  const parts = relative(top, directory).split("/").filter(Boolean);
  let at = top;
  for (const part of parts) {
    rules = await withRulesOf(rules, at);
    if (isIgnored(rules, join(at, part), true)) return withRulesOf([], directory);
    at = join(at, part);
  }
  return withRulesOf(rules, directory);
}

export async function withRulesOf(rules: IgnoreRules, directory: string): Promise<IgnoreRules> {
  const added = await readIgnoreFiles([join(directory, ".gitignore")]);
  return added === null ? rules : [...rules, { directory, rules: added }];
}

/** The nearest directory with a rule about `path` decides. */
export function isIgnored(rules: IgnoreRules, path: string, isDirectory: boolean): boolean {
  for (const ruleSet of rules.toReversed()) {
    const name = relative(ruleSet.directory, path);
    const { ignored, unignored } = ruleSet.rules.test(isDirectory ? `${name}/` : name);
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
