// file-write: replaces the whole content of a file atomically, or creates the file.

import * as z from "zod";
import { ExpectedHash, FilePath, FileWritten, LineEndings } from "./file.ts";

export const FileWriteRequest = z.object({
  path: FilePath,
  content: z.string(),
  encoding: z.enum(["utf-8", "base64"]),
  /** Writes only if nothing exists at the path. */
  if_absent: z.boolean(),
  expected_hash: ExpectedHash,
  dry_run: z.boolean(),
});
export type FileWriteRequest = z.infer<typeof FileWriteRequest>;

export const FileWriteResult = FileWritten.extend({
  /** The content was already the same, byte for byte; false when the old content is too large to be compared. */
  unchanged: z.boolean(),
  /** The line endings of the old and the new text; null when there was no old content, or one of them is not text. */
  endings: z.object({ before: LineEndings, after: LineEndings }).nullable(),
  /** The old text began with a byte order mark and the new text does not. */
  bom_dropped: z.boolean(),
});
export type FileWriteResult = z.infer<typeof FileWriteResult>;
