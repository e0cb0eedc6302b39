// How checkpoints are worded for a model.

import type {
  CheckpointDiff,
  CheckpointDiffRequest,
  CheckpointInfo,
  CheckpointList,
} from "../../src/contract/checkpoint.ts";
import { limits } from "../../src/contract/limits.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { formatAgo } from "../../src/format/format-duration.ts";
import { formatOmitted } from "../../src/format/truncate.ts";

export function sayCheckpoint(
  { id, name, kind, created_at, bytes, files, added, changed, removed }: CheckpointInfo,
  now: number,
): string {
  const called = name === null ? (kind === "before-restore" ? " (before a restore)" : "") : ` "${name}"`;
  const changes = [
    [added, "added"],
    [changed, "changed"],
    [removed, "removed"],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const size = `${formatCount(files, "file")}, ${formatBytes(bytes)} stored`;
  return `${id}${called}, ${formatAgo(created_at, now)}: ${size}; ${changes.join(", ") || "nothing changed"}`;
}

export function listText(list: CheckpointList, now: number): string {
  const { checkpoints, used_bytes, quota_bytes } = list;
  if (checkpoints.length === 0) {
    return "There is no checkpoint yet. One is taken some seconds after files change, and before the machine sleeps.";
  }
  const lines = checkpoints.map((checkpoint) => sayCheckpoint(checkpoint, now));
  const near =
    used_bytes > quota_bytes * limits.checkpointsQuotaWarning
      ? quotaWords(list)
      : `${formatBytes(used_bytes)} of ${formatBytes(quota_bytes)} used.`;
  return [...lines, near].join("\n");
}

export const quotaWords = ({ used_bytes, quota_bytes }: { used_bytes: number; quota_bytes: number }): string =>
  `${formatBytes(used_bytes)} of ${formatBytes(quota_bytes)} are used. Above the quota none is taken by name, and only the newest automatic one is kept: delete some with delete_checkpoint.`;

export function diffText(diff: CheckpointDiff, { from, to, path }: CheckpointDiffRequest): string {
  const { added_count, changed_count, removed_count, text } = diff;
  const between = `From ${from} to ${to ?? "now"}`;
  if (text !== null) return text === "" ? `${between}, ${path} is the same.` : text;
  if (added_count + changed_count + removed_count === 0) return `${between} nothing differs.`;
  const lines = [
    ...namesOf("A", diff.added, added_count),
    ...namesOf("M", diff.changed, changed_count),
    ...namesOf("D", diff.removed, removed_count),
  ];
  return [`${between}: ${added_count} added, ${changed_count} changed, ${removed_count} removed`, ...lines].join("\n");
}

const namesOf = (letter: string, names: readonly string[], count: number): string[] => [
  ...names.map((name) => `${letter} ${name}`),
  ...(count > names.length ? [`${letter} ${formatOmitted(count - names.length, "path")}`] : []),
];

export const structuredCheckpoint = ({ name, created_at, ...rest }: CheckpointInfo): Record<string, unknown> => ({
  ...rest,
  ...(name === null ? {} : { name }),
  created_at: new Date(created_at).toISOString(),
});
