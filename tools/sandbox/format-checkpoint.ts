// Formats checkpoints for a model.

import type {
  CheckpointDiff,
  CheckpointDiffRequest,
  CheckpointInfo,
  CheckpointList,
} from "../../src/contract/checkpoint.ts";
import { limits } from "../../src/contract/limits.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount, formatNumber } from "../../src/format/format-count.ts";
import { formatAgo } from "../../src/format/format-duration.ts";
import { formatOmitted } from "../../src/format/truncate.ts";

export function formatCheckpoint(
  { id, name, kind, created_at, bytes, files, added, changed, removed }: CheckpointInfo,
  now: number,
): string {
  const label = name === null ? (kind === "before-restore" ? " (before a restore)" : "") : ` "${name}"`;
  const changes = formatChanges({ added, changed, removed });
  return `${id}${label}, ${formatAgo(created_at, now)}: ${formatCount(files, "file")}, ${formatBytes(bytes)} stored; ${changes}`;
}

const formatChanges = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${formatNumber(count)} ${what}`)
    .join(", ") || "nothing changed";

export function formatCheckpointList(list: CheckpointList, now: number): string {
  const { checkpoints, used_bytes, quota_bytes } = list;
  if (checkpoints.length === 0) {
    return "There is no checkpoint yet. One is taken some seconds after files change, and before the machine sleeps.";
  }
  const usage = isNearQuota(list)
    ? formatQuota(list)
    : `${formatBytes(used_bytes)} of ${formatBytes(quota_bytes)} used.`;
  return [...checkpoints.map((checkpoint) => formatCheckpoint(checkpoint, now)), usage].join("\n");
}

export const isNearQuota = ({ used_bytes, quota_bytes }: CheckpointList): boolean =>
  used_bytes > quota_bytes * limits.checkpointsQuotaWarning;

export const formatQuota = ({ used_bytes, quota_bytes }: CheckpointList): string =>
  `${formatBytes(used_bytes)} of ${formatBytes(quota_bytes)} are used. Above the quota no named checkpoint is taken, and only the newest automatic one is kept: delete some with delete_checkpoint.`;

export function formatDiff(diff: CheckpointDiff, { from, to, path }: CheckpointDiffRequest): string {
  const { added_count, changed_count, removed_count, text } = diff;
  const between = `From ${from} to ${to ?? "now"}`;
  if (text !== null) return text === "" ? `${between}, ${path} is the same.` : text;
  if (added_count + changed_count + removed_count === 0) return `${between} nothing differs.`;
  return [
    `${between}: ${formatNumber(added_count)} added, ${formatNumber(changed_count)} changed, ${formatNumber(removed_count)} removed`,
    ...formatPaths("A", diff.added, added_count),
    ...formatPaths("M", diff.changed, changed_count),
    ...formatPaths("D", diff.removed, removed_count),
  ].join("\n");
}

const formatPaths = (letter: string, paths: readonly string[], count: number): string[] => [
  ...paths.map((path) => `${letter} ${path}`),
  ...(count > paths.length ? [`${letter} ${formatOmitted(count - paths.length, "path")}`] : []),
];

export const structureCheckpoint = ({ name, created_at, ...rest }: CheckpointInfo): Record<string, unknown> => ({
  ...rest,
  ...(name === null ? {} : { name }),
  created_at: new Date(created_at).toISOString(),
});
