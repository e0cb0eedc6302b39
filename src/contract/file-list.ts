// file-list: a directory as a tree. It is read breadth first, so that the limit cuts off deep entries before those at the
// top.

import * as z from "zod";
import { answerList } from "./answer-list.ts";
import { FileKind, FilePath, ResolvedPath } from "./file.ts";
import { limits } from "./limits.ts";

export const FileListRequest = z.object({
  path: FilePath,
  /** 1 lists only the entries of the directory itself. */
  depth: z.number().int().min(1).max(limits.fileListDepthMax),
  /** Includes entries that gitignore rules exclude, and the contents of `.git`. */
  no_ignore: z.boolean(),
  /** How many of the directory's own entries to skip. */
  offset: z.number().int().min(0),
  limit: z.number().int().min(1).max(limits.fileListMaxEntries),
  /** The most entries of each directory below the top; `limits.fileListInnerEntries`, which suits a reader, when absent. */
  inner_limit: z.number().int().min(1).max(limits.fileListMaxEntries).optional(),
});
export type FileListRequest = z.infer<typeof FileListRequest>;

export const FileListEntry = z.object({
  /** The name for display: bytes that are not UTF-8 and control characters are escaped as `\xNN`. */
  name: z.string(),
  depth: z.number().int(),
  kind: FileKind,
  size: z.number().int(),
  /** The target of a symlink; null for other kinds. */
  target: z.string().nullable(),
  /** For a directory whose contents were read: its number of entries, how many are listed here, and how many are ignored. */
  inside: z.object({ entries: z.number().int(), listed: z.number().int(), ignored: z.number().int() }).nullable(),
});
export type FileListEntry = z.infer<typeof FileListEntry>;

export const FileListResult = ResolvedPath.extend({
  /** In tree order: the entries of a directory follow it, with a depth one greater. */
  entries: answerList(FileListEntry),
  /** The same counts for the listed directory itself. */
  inside: z.object({ entries: z.number().int(), listed: z.number().int(), ignored: z.number().int() }),
  /** The names of a few ignored entries. */
  ignored_names: answerList(z.string()),
  /** Some names hold bytes that are not UTF-8. */
  undecodable_names: z.boolean(),
  /** Directories that could not be read. */
  unreadable: answerList(z.string()),
});
export type FileListResult = z.infer<typeof FileListResult>;
