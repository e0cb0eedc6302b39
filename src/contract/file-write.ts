// file-write: a file's whole content, put in its place at once.

import * as z from "zod";
import { ExpectedHash, FilePath, FileWritten, LineEndings } from "./file.ts";

export const FileWriteRequest = z.object({
  path: FilePath,
  content: z.string(),
  encoding: z.enum(["utf-8", "base64"]),
  /** Only where there is nothing yet. */
  if_absent: z.boolean(),
  expected_hash: ExpectedHash,
  dry_run: z.boolean(),
});
export type FileWriteRequest = z.infer<typeof FileWriteRequest>;

export const FileWriteResult = FileWritten.extend({
  /** Byte for byte what was there; false also where that is too large to be compared. */
  unchanged: z.boolean(),
  /** What the old and the new text end their lines with; null where there was no old text, or one of them is not text. */
  endings: z.object({ before: LineEndings, after: LineEndings }).nullable(),
  /** The old text began with a byte order mark, and the new one does not. */
  bom_dropped: z.boolean(),
});
export type FileWriteResult = z.infer<typeof FileWriteResult>;
