// file-list: a directory as a tree, breadth first, so that a cap cuts depth before it cuts the top.

import * as z from "zod";
import { FileKind, FilePath, FilePlaceReport } from "./file.ts";
import { limits } from "./limits.ts";

export const FileListRequest = z.object({
  path: FilePath,
  /** 1 is the directory's own entries. */
  depth: z.number().int().min(1).max(limits.fileListDepthMax),
  /** Also what gitignore rules leave out, and inside `.git`. */
  no_ignore: z.boolean(),
  /** Skip so many of the directory's own entries. */
  offset: z.number().int().min(0),
  limit: z.number().int().min(1).max(limits.fileListMaxEntries),
  /** Entries of one directory below the top; `limits.fileListInnerEntries`, a tree for reading, where it is absent. */
  inner_limit: z.number().int().min(1).max(limits.fileListMaxEntries).optional(),
});
export type FileListRequest = z.infer<typeof FileListRequest>;

export const FileListEntry = z.object({
  /** Readable: bytes that are not UTF-8, and control characters, are escaped as `\xNN`. */
  name: z.string(),
  depth: z.number().int(),
  kind: FileKind,
  size: z.number().int(),
  /** Of a symlink. */
  target: z.string().nullable(),
  /** Of a directory that was looked into: how many entries it has, how many follow here, and how many are ignored. */
  inside: z.object({ entries: z.number().int(), listed: z.number().int(), ignored: z.number().int() }).nullable(),
});
export type FileListEntry = z.infer<typeof FileListEntry>;

export const FileListResult = FilePlaceReport.extend({
  /** In the order of the tree: the entries of a directory follow it, one deeper. */
  entries: z.array(FileListEntry),
  /** The directory's own. */
  inside: z.object({ entries: z.number().int(), listed: z.number().int(), ignored: z.number().int() }),
  /** Names of a few ignored entries. */
  ignored_names: z.array(z.string()),
  /** Some names hold bytes that are not UTF-8. */
  undecodable_names: z.boolean(),
  /** Directories that could not be read. */
  unreadable: z.array(z.string()),
});
export type FileListResult = z.infer<typeof FileListResult>;
