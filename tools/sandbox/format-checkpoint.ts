// Formats checkpoints for a model.

import type { CheckpointInfo, CheckpointList } from "../../src/contract/checkpoint.ts";
import { limits } from "../../src/contract/limits.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount, formatNumber } from "../../src/format/format-count.ts";
import { formatAgo } from "../../src/format/format-duration.ts";

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

/** The part of a list that is shown: the newest, and all that have names. */
export interface CheckpointPage {
  shown: CheckpointInfo[];
  omitted: number;
  /** The newest that is not shown, from which the next page begins; null when all are. */
  next: string | null;
}

/** `from` is the first checkpoint of the page, by id or name; null for the newest. Returns null when there is none of this name. */
export function pageOfCheckpoints(all: readonly CheckpointInfo[], from: string | null): CheckpointPage | null {
  const start = from === null ? 0 : all.findIndex(({ id, name }) => id === from || name === from);
  if (start < 0) return null;
  const rows = all.slice(start);
  const isShown = (row: CheckpointInfo, index: number) => index < limits.checkpointsListed || row.name !== null;
  const hidden = rows.filter((row, index) => !isShown(row, index));
  return { shown: rows.filter(isShown), omitted: hidden.length, next: hidden[0]?.id ?? null };
}

export function formatCheckpointList(list: CheckpointList, page: CheckpointPage, now: number): string {
  const { used_bytes, quota_bytes } = list;
  if (page.shown.length === 0) {
    return "There is no checkpoint yet. One is taken some seconds after files change, and before the machine sleeps.";
  }
  const usage = isNearQuota(list)
    ? formatQuota(list)
    : `${formatBytes(used_bytes)} of ${formatBytes(quota_bytes)} used.`;
  const more =
    page.next === null
      ? []
      : [
          `${formatCount(page.omitted, "older automatic one")}: sandbox {action: "checkpoints", checkpoint: "${page.next}"}`,
        ];
  return [...page.shown.map((checkpoint) => formatCheckpoint(checkpoint, now)), ...more, usage].join("\n");
}

export const isNearQuota = ({ used_bytes, quota_bytes }: CheckpointList): boolean =>
  used_bytes > quota_bytes * limits.checkpointsQuotaWarning;

export const formatQuota = ({ used_bytes, quota_bytes }: CheckpointList): string =>
  `${formatBytes(used_bytes)} of ${formatBytes(quota_bytes)} are used. Above the quota no named checkpoint is taken, and only the newest automatic one is kept: delete some with delete_checkpoint.`;

export const structureCheckpoint = ({ name, created_at, ...rest }: CheckpointInfo): Record<string, unknown> => ({
  ...rest,
  ...(name === null ? {} : { name }),
  created_at: new Date(created_at).toISOString(),
});
