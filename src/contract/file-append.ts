// file-append: adds bytes to the end of a file, which is created if it does not exist. Text is converted to the line endings
// and the encoding of the file.

import * as z from "zod";
import { ExpectedHash, FilePath, FileWritten, LineEndings, TextEncoding } from "./file.ts";

export const FileAppendRequest = z.object({
  path: FilePath,
  content: z.string(),
  encoding: z.enum(["utf-8", "base64"]),
  expected_hash: ExpectedHash,
  dry_run: z.boolean(),
});
export type FileAppendRequest = z.infer<typeof FileAppendRequest>;

export const FileAppendResult = FileWritten.extend({
  appended_bytes: z.number().int(),
  /** The line endings and the encoding in which the text was written. */
  endings: LineEndings,
  encoding: TextEncoding,
  /** The file did not end with a newline, so the text continues its last line. */
  continued_line: z.boolean(),
});
export type FileAppendResult = z.infer<typeof FileAppendResult>;
