// file-move: moves or renames a file, a directory, or a symlink (but not its target).

import * as z from "zod";
import { FileKind, FilePath } from "./file.ts";

export const FileMoveRequest = z.object({
  from: FilePath,
  /** The new path; with a trailing slash, the directory to move it into. */
  to: FilePath,
  /** Replaces an existing file. A directory is never replaced. */
  overwrite: z.boolean(),
  dry_run: z.boolean(),
});
export type FileMoveRequest = z.infer<typeof FileMoveRequest>;

export const FileMoveResult = z.object({
  from: z.string(),
  to: z.string(),
  kind: FileKind,
  dry_run: z.boolean(),
  replaced: z.boolean(),
});
export type FileMoveResult = z.infer<typeof FileMoveResult>;
