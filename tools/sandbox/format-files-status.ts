// Says what of a sandbox's files is not stored yet, when it will be, and why the last attempt failed.

import { formatAgo, formatDuration } from "../../src/format/format-duration.ts";
import type { FilesStatus } from "../../src/sandbox/admin-actions.ts";

/** No line when nothing can have changed since the last checkpoint. */
export function formatFilesStatus({ unsaved_since, next_at, is_storing, problem }: FilesStatus, now: number): string[] {
  if (!is_storing && next_at === null) return [];
  const unsaved = unsaved_since === null ? null : `unsaved changes, the first from ${formatAgo(unsaved_since, now)}`;
  const next = `in about ${formatDuration(Math.max(0, Math.ceil(((next_at ?? now) - now) / 1_000)) * 1_000)}`;
  if (problem !== null) {
    const attempt = is_storing ? "The next attempt is under way" : `The next attempt is ${next}`;
    return [
      `The files could not be stored: ${problem}. ${attempt}${unsaved === null ? "" : `; there are ${unsaved}`}.`,
    ];
  }
  if (is_storing) return [`A checkpoint is being taken${unsaved === null ? "" : `; there are ${unsaved}`}.`];
  if (unsaved === null) return [`The next checkpoint, of what running processes write until then, is ${next}.`];
  return [`There are ${unsaved}; the next checkpoint is ${next}.`];
}
