// file-copy: copies a file, or a directory with all its contents. Symlinks inside are copied as symlinks.

import * as z from "zod";
import { FileKind, FilePath } from "./file.ts";

export const FileCopyRequest = z.object({
  from: FilePath,
  /** The new path; with a trailing slash, the directory to copy it into. */
  to: FilePath,
  /** Replaces existing files; a directory is merged into an existing one. */
  overwrite: z.boolean(),
  dry_run: z.boolean(),
});
export type FileCopyRequest = z.infer<typeof FileCopyRequest>;

export const FileCopyResult = z.object({
  from: z.string(),
  to: z.string(),
  kind: FileKind,
  dry_run: z.boolean(),
  files: z.number().int(),
  directories: z.number().int(),
  bytes: z.number().int(),
  /** The number of existing files that were replaced. */
  replaced: z.number().int(),
});
export type FileCopyResult = z.infer<typeof FileCopyResult>;
