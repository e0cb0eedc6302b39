// Finds out which removed entries are added ones under another name. Manifests hold no contents, so a file counts as the same when
// its size and its modification time to the nanosecond are; moving a file changes neither.

import type { Entry } from "./entry.ts";
import { isDirectory } from "./entry.ts";

export interface Rename {
  from: string;
  to: string;
  /** 1 for a single file, or how many files a directory has that are the same in both. */
  files: number;
  isDirectory: boolean;
}

export interface FoundRenames {
  renames: Rename[];
  /** What is added and removed besides. */
  added: Entry[];
  removed: Entry[];
}

/** Both lists are in order. A directory counts as renamed when it is gone, and files of it are in a new one. */
export function findRenames(added: readonly Entry[], removed: readonly Entry[]): FoundRenames {
  const pairs = pairFiles(added, removed);
  const newDirectories = directoriesOf(added);
  const oldDirectories = directoriesOf(removed);
  const renames = new Map<string, Rename>();
  for (const [to, from] of pairs) {
    const [source, target] = renamedDirectory(from, to, oldDirectories, newDirectories) ?? [from, to];
    const key = `${source}//${target}`;
    const known = renames.get(key) ?? { from: source, to: target, files: 0, isDirectory: source !== from };
    renames.set(key, { ...known, files: known.files + 1 });
  }
  const moved = [...renames.values()].filter((rename) => rename.isDirectory);
  const isMoved = movedDirectories(moved, oldDirectories, newDirectories);
  const sources = new Set(pairs.values());
  return {
    renames: [...renames.values()],
    added: added.filter(({ path }) => !pairs.has(path) && !isMoved.to.has(path)),
    removed: removed.filter(({ path }) => !sources.has(path) && !isMoved.from.has(path)),
  };
}

const directoriesOf = (entries: readonly Entry[]): Set<string> =>
  new Set(entries.filter(({ meta }) => isDirectory(meta)).map(({ path }) => path));

/** The old path of each file by its new one. */
function pairFiles(added: readonly Entry[], removed: readonly Entry[]): Map<string, string> {
  const pairs = new Map<string, string>();
  const candidates = groupByIdentity(removed);
  for (const [identity, targets] of groupByIdentity(added)) {
    const sources = new Set(candidates.get(identity) ?? []);
    for (const to of targets) {
      const from = closest(to, sources);
      if (from === null) continue;
      pairs.set(to, from);
      sources.delete(from);
    }
    const remaining = targets.filter((to) => !pairs.has(to));
    const [from, to] = [[...sources][0], remaining[0]];
    const isOnly = sources.size === 1 && remaining.length === 1 && from !== undefined && to !== undefined;
    if (isOnly && hasExactTime(identity)) pairs.set(to, from);
  }
  return pairs;
}

function groupByIdentity(entries: readonly Entry[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { path, meta } of entries) {
    if (isDirectory(meta)) continue;
    const [type, , time, size] = meta.split(" ", 4);
    const identity = `${type} ${size} ${time}`;
    const group = groups.get(identity);
    if (group === undefined) groups.set(identity, [path]);
    else group.push(path);
  }
  return groups;
}

/** Archives and tools set times to whole seconds, often the same for many files, which then proves little. */
const hasExactTime = (identity: string): boolean => !/\.0*$/.test(identity);

/** The path of the same name that has the most of its parents in common, from the end; null when none has the name. */
function closest(path: string, candidates: ReadonlySet<string>): string | null {
  let best: string | null = null;
  let bestLength = 0;
  for (const candidate of candidates) {
    const length = commonEnd(path.split("/"), candidate.split("/"));
    if (length > bestLength) [best, bestLength] = [candidate, length];
    if (candidates.size > CANDIDATES_MAX && best !== null) break;
  }
  return best;
}

/** With more files that look the same, the first of the same name is taken. */
const CANDIDATES_MAX = 50;

/** How many names at the end are equal. */
function commonEnd(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length += 1;
  return length;
}

/** The topmost pair of directories above the two paths, where the old one is gone and the new one is new. */
function renamedDirectory(
  from: string,
  to: string,
  oldDirectories: ReadonlySet<string>,
  newDirectories: ReadonlySet<string>,
): [string, string] | null {
  const [source, target] = [from.split("/"), to.split("/")];
  for (let below = commonEnd(source, target); below > 0; below -= 1) {
    const [old, now] = [source.slice(0, -below).join("/"), target.slice(0, -below).join("/")];
    if (oldDirectories.has(old) && newDirectories.has(now)) return [old, now];
  }
  return null;
}

/** The directories that a rename explains: those that are below the old name and, at the same place, below the new one. */
function movedDirectories(
  renames: readonly Rename[],
  oldDirectories: ReadonlySet<string>,
  newDirectories: ReadonlySet<string>,
): { from: Set<string>; to: Set<string> } {
  const targets = new Map<string, string[]>();
  for (const { from, to } of renames) targets.set(from, [...(targets.get(from) ?? []), to]);
  const moved = { from: new Set<string>(), to: new Set<string>() };
  for (const directory of oldDirectories) {
    for (const above of [directory, ...parentsOf(directory)]) {
      for (const to of targets.get(above) ?? []) {
        const target = `${to}${directory.slice(above.length)}`;
        if (!newDirectories.has(target)) continue;
        moved.from.add(directory);
        moved.to.add(target);
      }
    }
  }
  return moved;
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) parents.push(path.slice(0, end));
  return parents;
}
