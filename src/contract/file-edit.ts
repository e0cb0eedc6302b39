// file-edit: exact replacements and insertions, in order, each on the outcome of the one before; all of them or none.

import * as z from "zod";
import { ExpectedHash, FilePath, FileWritten, LineEndings, TextEncoding } from "./file.ts";

export const FileEdit = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("replace"),
    /** A line break in it matches the file's own. */
    old_string: z.string(),
    /** Its line breaks become the file's own. */
    new_string: z.string(),
    /** Every occurrence, from left to right; otherwise there must be exactly one. */
    replace_all: z.boolean(),
  }),
  z.object({
    kind: z.literal("insert"),
    /** After this line; 0 is the top. */
    line: z.number().int().min(0),
    text: z.string(),
  }),
]);
export type FileEdit = z.infer<typeof FileEdit>;

export const FileEditRequest = z.object({
  path: FilePath,
  edits: z.array(FileEdit).min(1),
  expected_hash: ExpectedHash,
  dry_run: z.boolean(),
});
export type FileEditRequest = z.infer<typeof FileEditRequest>;

export const FileEditResult = FileWritten.extend({
  /** Places changed, over all edits. */
  changes: z.number().int(),
  encoding: TextEncoding,
  bom: z.boolean(),
  endings: LineEndings,
});
export type FileEditResult = z.infer<typeof FileEditResult>;
