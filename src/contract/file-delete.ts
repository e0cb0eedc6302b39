// file-delete: a file, a symlink (itself), or a directory.

import * as z from "zod";
import { FileKind, FilePath } from "./file.ts";

export const FileDeleteRequest = z.object({
  path: FilePath,
  /** A directory with everything in it; without this, only an empty one. */
  recursive: z.boolean(),
  dry_run: z.boolean(),
});
export type FileDeleteRequest = z.infer<typeof FileDeleteRequest>;

export const FileDeleteResult = z.object({
  path: z.string(),
  kind: FileKind,
  dry_run: z.boolean(),
  /** Everything that went, the directory itself included. */
  files: z.number().int(),
  directories: z.number().int(),
  bytes: z.number().int(),
  /** False where there may be more: over `limits.fileTreeMaxEntries`, or not to be looked at. */
  counted_all: z.boolean(),
});
export type FileDeleteResult = z.infer<typeof FileDeleteResult>;
