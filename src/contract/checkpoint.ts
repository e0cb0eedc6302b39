// Checkpoints as callers see them: stored copies of a sandbox's files, from which its next machine starts.

import * as z from "zod";
import { answerList } from "./answer-list.ts";

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
  /**
   * Compares only what is at or below this path, absolute or relative to the workspace, and the text of a file; null to compare
   * all names.
   */
  path: z.string().nullable(),
});
export type CheckpointDiffRequest = z.infer<typeof CheckpointDiffRequest>;

const EntryKind = z.enum(["file", "directory", "symlink", "fifo"]);

/** The path that a diff was asked about. */
export const CheckpointDiffSubject = z.object({
  /** Absolute. */
  path: z.string(),
  /** What it is on each side; null when it does not exist there. */
  from: EntryKind.nullable(),
  to: EntryKind.nullable(),
  /** The directories that checkpoints keep, when the path is in none of them and therefore not compared; else null. */
  outside_of: answerList(z.string()).nullable(),
  /** The text was compared. */
  has_text: z.boolean(),
});
export type CheckpointDiffSubject = z.infer<typeof CheckpointDiffSubject>;

/**
 * Lists of absolute paths, each at most `limits.checkpointDiffNames` long; the counts cover all paths. Directories end with a
 * slash. Bytes that are not UTF-8 become U+FFFD. The keys with defaults are not sent by runners that are older than they are.
 */
export const CheckpointDiff = z.object({
  added: answerList(z.string()),
  changed: answerList(z.string()),
  removed: answerList(z.string()),
  added_count: z.number().int(),
  changed_count: z.number().int(),
  removed_count: z.number().int(),
  /** Directories that stand for several paths, which are not in the lists. */
  groups: answerList(
    z.object({
      change: z.enum(["added", "changed", "removed"]),
      path: z.string(),
      files: z.number().int(),
      /** The directory itself was added or removed, with everything in it. */
      whole: z.boolean(),
    }),
  ).default([]),
  /** Files and directories that have another name, and are in no other list. `files` is how many are the same. */
  renamed: answerList(z.object({ from: z.string(), to: z.string(), files: z.number().int() })).default([]),
  /** All renamed files. */
  renamed_count: z.number().int().default(0),
  /** What about paths in `changed` changed besides their contents, such as "mode 644 -> 600". */
  details: answerList(z.object({ path: z.string(), what: z.string() })).default([]),
  /** Null when no path was given. */
  subject: CheckpointDiffSubject.nullable().default(null),
  /** A unified diff of `path`; empty when it is the same, null when no path was given or it is no file on either side. */
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
