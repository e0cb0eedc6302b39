// file-delete: deletes a file, a directory, or a symlink (but not its target).

import * as z from "zod";
import { FileKind, FilePath } from "./file.ts";

export const FileDeleteRequest = z.object({
  path: FilePath,
  /** Deletes a directory with all its contents; otherwise only an empty directory is deleted. */
  recursive: z.boolean(),
  dry_run: z.boolean(),
});
export type FileDeleteRequest = z.infer<typeof FileDeleteRequest>;

export const FileDeleteResult = z.object({
  path: z.string(),
  kind: FileKind,
  dry_run: z.boolean(),
  /** Counts of everything deleted, including the directory itself. */
  files: z.number().int(),
  directories: z.number().int(),
  bytes: z.number().int(),
  /**
   * False when the counts may be too low: more than `limits.fileTreeMaxEntries` entries, or directories that cannot be read.
   */
  counted_all: z.boolean(),
});
export type FileDeleteResult = z.infer<typeof FileDeleteResult>;
