// file-append: bytes at the end of a file, which is made where there is none. Text takes the file's own line endings and encoding.

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
  /** What the appended text was given. */
  endings: LineEndings,
  encoding: TextEncoding,
  /** The file did not end with a newline, so the text goes on with its last line. */
  continued_line: z.boolean(),
});
export type FileAppendResult = z.infer<typeof FileAppendResult>;
