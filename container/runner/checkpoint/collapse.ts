// Shortens a list of paths to what a reader follows: a directory stands for its contents when all of them changed in the same way,
// and, when the list is still too long, directories stand for several paths below them.

import { isDirectory } from "./entry.ts";
import { isWithin } from "./kept-directories.ts";

export interface Line {
  /** As in a manifest. */
  path: string;
  isDirectory: boolean;
  /** How many files the directory stands for, and whether all of it changed; null for a path that stands for itself. */
  group: { files: number; whole: boolean } | null;
}

export interface CollapseOptions {
  /** A directory with more in it than this stands for its contents. */
  innerMax: number;
  /** About how many lines there may be. */
  linesMax: number;
  /** Directories that stand for several paths only when nothing else shortens the list enough, and those above them. */
  roots: readonly string[];
}

/** The entries are in order. `untracked` counts files that are not among them, by a directory above them. */
export function collapse(
  entries: readonly { path: string; meta: string }[],
  untracked: ReadonlyMap<string, number>,
  { innerMax, linesMax, roots }: CollapseOptions,
): Line[] {
  const lines = collapseWhole(entries, untracked, innerMax);
  if (lines.length <= linesMax) return lines;
  const isRoot = (directory: string): boolean => roots.some((root) => isWithin(root, [directory]));
  return fold(collapseWhole(entries, untracked, Math.min(innerMax, 1)), linesMax, isRoot);
}

/** Directories that were added or removed as a whole stand for their contents. */
function collapseWhole(
  entries: readonly { path: string; meta: string }[],
  untracked: ReadonlyMap<string, number>,
  innerMax: number,
): Line[] {
  const directories =
    innerMax === Number.POSITIVE_INFINITY
      ? new Set<string>()
      : new Set(entries.filter(({ meta }) => isDirectory(meta)).map(({ path }) => path));
  const below = new Map<string, Line[]>();
  for (const { path, meta } of entries) {
    const top = topmost(path, directories);
    const line = { path, isDirectory: isDirectory(meta), group: null };
    const known = below.get(top);
    if (known === undefined) below.set(top, [line]);
    else known.push(line);
  }
  const rest = new Map(untracked);
  const lines: Line[] = [];
  for (const [top, inside] of below) {
    const uncounted = rest.size === 0 ? 0 : takeWithin(rest, top);
    const isGroup = directories.has(top) && inside.length + uncounted > innerMax;
    lines.push(...(isGroup ? [{ path: top, isDirectory: true, group: groupOf(inside, uncounted, true) }] : inside));
  }
  for (const [path, files] of rest) lines.push({ path, isDirectory: true, group: { files, whole: false } });
  return lines;
}

/** The topmost directory of the set that the path is or is below; the path itself when there is none. */
function topmost(path: string, directories: ReadonlySet<string>): string {
  for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1)) {
    if (directories.has(path.slice(0, end))) return path.slice(0, end);
  }
  return path;
}

function takeWithin(counts: Map<string, number>, directory: string): number {
  let sum = 0;
  for (const [path, count] of counts) {
    if (path !== directory && !path.startsWith(`${directory}/`)) continue;
    sum += count;
    counts.delete(path);
  }
  return sum;
}

const groupOf = (lines: readonly Line[], more: number, whole: boolean): { files: number; whole: boolean } => ({
  files: lines.reduce((sum, line) => sum + filesOf(line), more),
  whole,
});

const filesOf = ({ isDirectory, group }: Line): number => group?.files ?? Number(!isDirectory);

/**
 * Lets directories stand for the lines below them until there are few enough: the smallest that suffices, otherwise the largest and
 * then others.
 */
function fold(lines: Line[], linesMax: number, isRoot: (directory: string) => boolean): Line[] {
  let folded = lines;
  while (folded.length > linesMax) {
    const directory = directoryToFold(folded, linesMax, isRoot);
    if (directory === null) break;
    const isBelow = ({ path }: Line): boolean => isWithin(path, [directory]);
    const group = groupOf(folded.filter(isBelow), 0, false);
    const at = folded.findIndex(isBelow);
    const others = folded.filter((line) => !isBelow(line));
    folded = [...others.slice(0, at), { path: directory, isDirectory: true, group }, ...others.slice(at)];
  }
  return folded;
}

function directoryToFold(
  lines: readonly Line[],
  linesMax: number,
  isRoot: (directory: string) => boolean,
): string | null {
  const counts = new Map<string, number>();
  for (const { path } of lines) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const directory = path.slice(0, end);
      counts.set(directory, (counts.get(directory) ?? 0) + 1);
    }
  }
  const worth = [...counts].filter(([, count]) => count > 1);
  const inner = worth.filter(([directory]) => !isRoot(directory));
  const needed = lines.length - linesMax + 1;
  // The deeper of two directories with the same lines loses less.
  const ordered = (inner.length > 0 ? inner : worth).sort((a, b) => a[1] - b[1] || b[0].length - a[0].length);
  const largest = ordered.at(-1)?.[1];
  return (ordered.find(([, count]) => count >= needed) ?? ordered.find(([, count]) => count === largest))?.[0] ?? null;
}
