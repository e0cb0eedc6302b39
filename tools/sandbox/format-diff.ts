// Formats a diff of checkpoints for a model.

import type { CheckpointDiff, CheckpointDiffRequest } from "../../src/contract/checkpoint.ts";
import { formatCount, formatList, formatNumber } from "../../src/format/format-count.ts";
import { formatOmitted } from "../../src/format/truncate.ts";

export function formatDiff(diff: CheckpointDiff, { from, to, path }: CheckpointDiffRequest): string {
  const between = `From ${from} to ${to ?? "now"}`;
  const { subject, text } = diff;
  if (subject === null) {
    // A runner of an earlier version compared the text alone.
    if (text !== null) return text === "" ? `${between}, ${path} is the same.` : text;
    return [`${between}${formatCounts(diff)}`, ...formatLists(diff)].join("\n");
  }
  const name = showName(subject.path);
  if (subject.outside_of !== null) {
    return `${name} is not compared: checkpoints keep only ${formatList(subject.outside_of, 10)}.`;
  }
  const lists = formatLists(diff);
  if (lists.length === 0) {
    const isNowhere = subject.from === null && subject.to === null;
    return isNowhere ? `${between}, ${name} is in neither.` : `${between}, ${name} is the same.`;
  }
  const isDirectory = [subject.from, subject.to].includes("directory");
  const head = isDirectory ? `${between}, in ${name}${formatCounts(diff)}` : `${between}:`;
  return [head, ...lists, ...(text === null || text === "" ? [] : ["", text])].join("\n");
}

function formatCounts({ added_count, changed_count, removed_count, renamed_count }: CheckpointDiff): string {
  if (added_count + changed_count + removed_count + renamed_count === 0) return " nothing differs.";
  const renamed = renamed_count === 0 ? "" : `, ${formatNumber(renamed_count)} renamed`;
  return `: ${formatNumber(added_count)} added, ${formatNumber(changed_count)} changed, ${formatNumber(removed_count)} removed${renamed}`;
}

function formatLists(diff: CheckpointDiff): string[] {
  const details = new Map(diff.details.map(({ path, what }) => [path, ` (${what})`]));
  return [
    ...diff.renamed.map(formatRename),
    ...formatPaths("A", "added", diff),
    ...formatPaths("M", "changed", diff, details),
    ...formatPaths("D", "removed", diff),
  ];
}

function formatRename({ from, to, files }: CheckpointDiff["renamed"][number]): string {
  const count = to.endsWith("/") ? ` (${formatCount(files, "file")})` : "";
  return `R ${showName(from)} -> ${showName(to)}${count}`;
}

function formatPaths(
  letter: string,
  change: "added" | "changed" | "removed",
  diff: CheckpointDiff,
  details: ReadonlyMap<string, string> = new Map(),
): string[] {
  const groups = diff.groups.filter((group) => group.change === change);
  const paths = diff[change];
  const shown = groups.reduce((sum, { files }) => sum + files, paths.length);
  return [
    ...groups.map(({ path, files, whole }) => {
      const count = formatCount(files, "file");
      return whole ? `${letter} ${showName(path)} (${count})` : `${letter} ${count} in ${showName(path)}`;
    }),
    ...paths.map((path) => `${letter} ${showName(path)}${details.get(path) ?? ""}`),
    ...(groups.length === 0 && diff[`${change}_count`] > shown
      ? [`${letter} ${formatOmitted(diff[`${change}_count`] - shown, "path")}`]
      : []),
  ];
}

/** A name with control characters is quoted, so that it stays on its line. */
const showName = (path: string): string => (CONTROL.test(path) ? JSON.stringify(path) : path);

const CONTROL = /\p{Cc}/u;
