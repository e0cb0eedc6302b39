// Checkpoints as callers see them: stored copies of a sandbox's files, from which its next machine starts.

import * as z from "zod";

/** `before-restore` is what a restore keeps of the state that it replaces. */
export const CheckpointKind = z.enum(["automatic", "named", "before-restore"]);
export type CheckpointKind = z.infer<typeof CheckpointKind>;

export const CheckpointInfo = z.object({
  id: z.string(),
  name: z.string().nullable(),
  kind: CheckpointKind,
  /** Epoch milliseconds. */
  created_at: z.number(),
  /** Stored bytes that this one added, compressed; 0 where nothing had changed. */
  bytes: z.number().int(),
  /** Files in it; directories are not counted, here and below. */
  files: z.number().int(),
  /** Against the checkpoint before it. */
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

/** Which two states to compare. `from` and `to` are ids or names; `to` null is the state of now. */
export const CheckpointDiffRequest = z.object({
  from: z.string(),
  to: z.string().nullable(),
  /** A file, absolute or below the workspace, whose text is compared too; null for names only. */
  path: z.string().nullable(),
});
export type CheckpointDiffRequest = z.infer<typeof CheckpointDiffRequest>;

/** Absolute paths, each list up to `limits.checkpointDiffNames`; the counts are of all. Bytes that are no UTF-8 become U+FFFD. */
export const CheckpointDiff = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
  added_count: z.number().int(),
  changed_count: z.number().int(),
  removed_count: z.number().int(),
  /** A unified diff of `path`, or a sentence why there is none; null where no path was given. */
  text: z.string().nullable(),
});
export type CheckpointDiff = z.infer<typeof CheckpointDiff>;

export const CheckpointRestored = z.object({
  restored: CheckpointInfo,
  /** Keeps the state that was replaced. */
  before: CheckpointInfo,
  /** False where no machine was up: the next one starts from it. */
  in_machine: z.boolean(),
});
export type CheckpointRestored = z.infer<typeof CheckpointRestored>;

export const CheckpointDeleted = z.object({ deleted: CheckpointInfo, freed_bytes: z.number().int() });
export type CheckpointDeleted = z.infer<typeof CheckpointDeleted>;

/** For the status of a sandbox: answered without a machine, and without starting one. */
export const CheckpointSummary = z.object({
  count: z.number().int(),
  newest: CheckpointInfo.nullable(),
  /** The machine that is up may have files which the newest checkpoint has not. */
  dirty: z.boolean(),
  used_bytes: z.number().int(),
  quota_bytes: z.number().int(),
  /** Why the last attempt to take one failed; null when it did not. */
  problem: z.string().nullable(),
});
export type CheckpointSummary = z.infer<typeof CheckpointSummary>;
