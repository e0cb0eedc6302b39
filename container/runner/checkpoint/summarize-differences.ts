// Turns collected differences into the lists of a diff: what was renamed, what a directory stands for, and what changed about a
// file besides its contents.

import type { CheckpointDiff } from "../../../src/contract/checkpoint.ts";
import { limits } from "../../../src/contract/limits.ts";
import { collapse, type Line } from "./collapse.ts";
import { describeChange } from "./describe-change.ts";
import type { DiffSubject } from "./diff-subject.ts";
import type { ChangeKind, Differences } from "./differences.ts";
import { findRenames, type Rename } from "./find-renames.ts";

export type DiffSummary = Omit<CheckpointDiff, "text" | "subject">;

/**
 * `subject` limits the lists to what is at or below it; null for no limit. `roots` are the directories that checkpoints keep, as in
 * manifests.
 */
export function summarizeDifferences(
  differences: Differences,
  subject: DiffSubject | null,
  roots: readonly string[],
): DiffSummary {
  const { renames, ...others } = findRenames(differences.added, differences.removed);
  const isMeant = (path: string): boolean => subject === null || subject.isAtOrBelow(path);
  const meant = renames.filter(({ from, to }) => isMeant(from) || isMeant(to));
  const lists = { ...others, changed: differences.changed };
  const summary: DiffSummary = {
    ...{ added: [], changed: [], removed: [], groups: [] },
    ...{ added_count: 0, changed_count: 0, removed_count: 0 },
    renamed: meant.slice(0, limits.checkpointDiffNames).map(showRename),
    renamed_count: meant.reduce((sum, { files }) => sum + files, 0),
    details: [],
  };
  for (const kind of ["added", "changed", "removed"] as const) {
    const entries = lists[kind].filter(({ path }) => isMeant(path));
    const untracked = new Map([...differences.untracked[kind]].filter(([path]) => isMeant(path)));
    summary[`${kind}_count`] = [...untracked.values()].reduce((sum, count) => sum + count, entries.length);
    const lines = collapse(entries, untracked, {
      innerMax: kind === "changed" ? Number.POSITIVE_INFINITY : limits.checkpointDiffInnerNames,
      linesMax: limits.checkpointDiffNames,
      roots,
    });
    addLines(summary, kind, lines.slice(0, limits.checkpointDiffNames));
  }
  const shown = new Set(summary.changed);
  for (const { path, meta, before } of differences.changed) {
    const what = describeChange(before, meta);
    const line = showPath(path, meta.startsWith("d"));
    if (what !== "" && shown.has(line)) summary.details.push({ path: line, what });
  }
  return summary;
}

function addLines(summary: DiffSummary, change: ChangeKind, lines: readonly Line[]): void {
  for (const { path, isDirectory, group } of lines) {
    const shown = showPath(path, isDirectory);
    if (group === null) summary[change].push(shown);
    else summary.groups.push({ change, path: shown, ...group });
  }
}

const showRename = ({ from, to, files, isDirectory }: Rename): DiffSummary["renamed"][number] => ({
  ...{ from: showPath(from, isDirectory), to: showPath(to, isDirectory), files },
});

const showPath = (path: string, isDirectory: boolean): string =>
  `/${Buffer.from(path, "latin1").toString("utf8")}${isDirectory ? "/" : ""}`;
