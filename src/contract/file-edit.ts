// file-edit: exact replacements and insertions. Each applies to the result of the one before; either all are written or none.

import * as z from "zod";
import { ExpectedHash, FilePath, FileWritten, LineEndings, TextEncoding } from "./file.ts";

export const FileEdit = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("replace"),
    /** A line break matches the line ending of the file. */
    old_string: z.string(),
    /** Line breaks are converted to the line ending of the file. */
    new_string: z.string(),
    /** Replaces every occurrence, from left to right; otherwise there must be exactly one. */
    replace_all: z.boolean(),
  }),
  z.object({
    kind: z.literal("insert"),
    /** Inserts after this line, 1-based; 0 inserts at the top. */
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
  /** The number of changed places, over all edits. */
  changes: z.number().int(),
  encoding: TextEncoding,
  bom: z.boolean(),
  endings: LineEndings,
});
export type FileEditResult = z.infer<typeof FileEditResult>;
