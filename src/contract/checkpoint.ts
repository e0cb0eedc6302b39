// Checkpoints as callers see them: stored copies of a sandbox's files, from which its next machine starts.

import * as z from "zod";

/** A restore takes a `before-restore` checkpoint of the state that it replaces. */
export const CheckpointKind = z.enum(["automatic", "named", "before-restore"]);
export type CheckpointKind = z.infer<typeof CheckpointKind>;

export const CheckpointInfo = z.object({
  id: z.string(),
  name: z.string().nullable(),
  kind: CheckpointKind,
  /** Epoch milliseconds. */
  created_at: z.number(),
  /** Compressed bytes that this checkpoint added to the storage; 0 when nothing had changed. */
  bytes: z.number().int(),
  /** The number of files. Directories are not counted, here and below. */
  files: z.number().int(),
  /** Differences from the previous checkpoint. */
  added: z.number().int(),
  changed: z.number().int(),
  removed: z.number().int(),
});
export type CheckpointInfo = z.infer<typeof CheckpointInfo>;

export const CheckpointList = z.object({
  /** Newest first. */
  checkpoints: z.array(CheckpointInfo),
  used_bytes: z.number().int(),
  quota_bytes: z.number().int(),
});
export type CheckpointList = z.infer<typeof CheckpointList>;

/** The two states to compare. `from` and `to` are ids or names; null for `to` means the current files. */
export const CheckpointDiffRequest = z.object({
  from: z.string(),
  to: z.string().nullable(),
  /** A file whose text is compared too, absolute or relative to the workspace; null to compare names only. */
  path: z.string().nullable(),
});
export type CheckpointDiffRequest = z.infer<typeof CheckpointDiffRequest>;

/**
 * Lists of absolute paths, each at most `limits.checkpointDiffNames` long; the counts cover all paths. Bytes that are not
 * UTF-8 become U+FFFD.
 */
export const CheckpointDiff = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
  added_count: z.number().int(),
  changed_count: z.number().int(),
  removed_count: z.number().int(),
  /** A unified diff of `path`, or a sentence that says why there is none; null when no path was given. */
  text: z.string().nullable(),
});
export type CheckpointDiff = z.infer<typeof CheckpointDiff>;

export const CheckpointRestored = z.object({
  restored: CheckpointInfo,
  /** The checkpoint of the state that was replaced. */
  before: CheckpointInfo,
  /** False when no machine was up; the next one starts from the restored checkpoint. */
  in_machine: z.boolean(),
});
export type CheckpointRestored = z.infer<typeof CheckpointRestored>;

export const CheckpointDeleted = z.object({ deleted: CheckpointInfo, freed_bytes: z.number().int() });
export type CheckpointDeleted = z.infer<typeof CheckpointDeleted>;

/** For the status of a sandbox. It is available without a machine and never starts one. */
export const CheckpointSummary = z.object({
  count: z.number().int(),
  newest: CheckpointInfo.nullable(),
  /** The running machine may have changes that the newest checkpoint does not contain. */
  dirty: z.boolean(),
  used_bytes: z.number().int(),
  quota_bytes: z.number().int(),
  /** Why the last attempt to take a checkpoint failed; null when it succeeded. */
  problem: z.string().nullable(),
});
export type CheckpointSummary = z.infer<typeof CheckpointSummary>;
