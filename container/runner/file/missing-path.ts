// Describes a path that does not exist: its nearest existing directory, and similar paths that may be meant.

import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Failure } from "../../../src/contract/failure.ts";

const SUGGESTIONS = 3;
/** How many entries of a directory are compared. */
const COMPARED_MAX = 5_000;

export async function missingPath(path: string): Promise<Failure> {
  let above = dirname(path);
  let missing = basename(path);
  while (!(await isDirectory(above)) && above !== "/") {
    missing = basename(above);
    above = dirname(above);
  }
  const names = await readdir(above).catch(() => []);
  const rest = path.slice(join(above, missing).length);
  const similar = nearest(missing, names.slice(0, COMPARED_MAX)).map((name) => join(above, name) + rest);
  return { reason: "no_such_path", path, above, similar: await existing(similar) };
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

async function existing(paths: string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  return paths.filter((_, index) => found[index] !== null);
}

function nearest(name: string, names: string[]): string[] {
  const scored = names.map((other) => ({ other, score: likeness(name.toLowerCase(), other.toLowerCase()) }));
  const close = scored.filter(({ score }) => score >= 0.5).toSorted((a, b) => b.score - a.score);
  return close.slice(0, SUGGESTIONS).map(({ other }) => other);
}

/** Dice's coefficient over pairs of characters: 1 for equal strings, 0 for nothing in common. */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < a.length; index++) {
    const pair = a.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let index = 0; index + 1 < b.length; index++) {
    const left = pairs.get(b.slice(index, index + 2)) ?? 0;
    if (left === 0) continue;
    pairs.set(b.slice(index, index + 2), left - 1);
    common++;
  }
  const total = Math.max(0, a.length - 1) + Math.max(0, b.length - 1);
  return total === 0 ? 0 : (2 * common) / total;
}
