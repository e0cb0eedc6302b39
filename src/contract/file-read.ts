// file-read: a window of lines of a text file, or what a file is that has no lines.

import * as z from "zod";
import { FileHash, FilePath, FilePlaceReport, LineEndings, TextEncoding } from "./file.ts";
import { limits } from "./limits.ts";

export const FileReadRequest = z.object({
  path: FilePath,
  /** The first line, 1-based; a negative one counts from the end, -1 is the last line. */
  offset: z.number().int(),
  limit: z.number().int().min(1),
  /** The first character of each line, 1-based. */
  column: z.number().int().min(1),
  /** Text of the answer in UTF-16 units; each line counts `limits.fileLineFrameChars` more. */
  max_chars: z.number().int().min(1).max(limits.requestMaxBytes),
  /** Lines even of what does not look like text. */
  force_text: z.boolean(),
});
export type FileReadRequest = z.infer<typeof FileReadRequest>;

export const TextWindow = z.object({
  encoding: TextEncoding,
  bom: z.boolean(),
  /** Without their line ends. */
  lines: z.array(z.string()),
  /** Lines that are not whole here: their place in `lines` and their full length in UTF-16 units. */
  cut: z.array(z.object({ index: z.number().int(), chars: z.number().int() })),
  /** Number of the first of `lines`; counted from the end (-1 is the last) where `total_lines` is null and `offset` negative. */
  first_line: z.number().int(),
  /** Null for a file over `limits.fileCountMaxBytes`. */
  total_lines: z.number().int().nullable(),
  /** `lines` goes to the end of the file. */
  reached_end: z.boolean(),
  /** Null where the end was not reached. */
  final_newline: z.boolean().nullable(),
  /** Of the lines here. */
  endings: LineEndings,
  /** Some bytes were not UTF-8 and stand as U+FFFD. */
  invalid_utf8: z.boolean(),
});
export type TextWindow = z.infer<typeof TextWindow>;

const found = FilePlaceReport.extend({ size: z.number().int(), sha256: FileHash });

export const FileReadResult = z.discriminatedUnion("type", [
  found.extend({ type: z.literal("text"), text: TextWindow }),
  found.extend({
    type: z.literal("image"),
    mime_type: z.string(),
    width: z.number().int(),
    height: z.number().int(),
    /** Base64; null where it is too large for clients (`limits.imageSideMax`, `limits.imageBase64MaxChars`). */
    data: z.string().nullable(),
  }),
  found.extend({
    type: z.literal("pdf"),
    /** Null where they could not be counted. */
    pages: z.number().int().nullable(),
    /** Null where the machine has no `pdftotext`, or it found none. */
    text: TextWindow.nullable(),
  }),
  /** `what` says the format in a few words. */
  found.extend({ type: z.literal("binary"), what: z.string() }),
]);
export type FileReadResult = z.infer<typeof FileReadResult>;
