// file-read: a range of lines of a text file, or a description of a file that is not text.

import * as z from "zod";
import { answerList } from "./answer-list.ts";
import { FileHash, FilePath, LineEndings, ResolvedPath, TextEncoding } from "./file.ts";
import { limits } from "./limits.ts";

export const FileReadRequest = z.object({
  path: FilePath,
  /** The first line, 1-based; a negative number counts from the end, so that -1 is the last line. */
  offset: z.number().int(),
  /** The most lines. */
  limit: z.number().int().min(1),
  /** The first character of each line to return, 1-based. */
  column: z.number().int().min(1),
  /** The most text in the answer, in UTF-16 code units; each line counts `limits.fileLineFrameChars` more. */
  max_chars: z.number().int().min(1).max(limits.requestMaxBytes),
  /** Returns lines even if the file does not look like text. */
  force_text: z.boolean(),
});
export type FileReadRequest = z.infer<typeof FileReadRequest>;

export const TextWindow = z.object({
  encoding: TextEncoding,
  bom: z.boolean(),
  /** The lines without their line endings. */
  lines: answerList(z.string()),
  /** The lines that are cut short: their index in `lines` and their full length in UTF-16 code units. */
  cut: answerList(z.object({ index: z.number().int(), chars: z.number().int() })),
  /**
   * The number of the first line; counted from the end (-1 is the last) when `total_lines` is null and `offset` is negative.
   */
  first_line: z.number().int(),
  /** Null for a file larger than `limits.fileCountMaxBytes`. */
  total_lines: z.number().int().nullable(),
  /** `lines` reaches the end of the file. */
  reached_end: z.boolean(),
  /** Whether the file ends with a newline; null when the end was not reached. */
  final_newline: z.boolean().nullable(),
  /** The line endings of these lines. */
  endings: LineEndings,
  /** Some bytes were not UTF-8 and are replaced by U+FFFD. */
  invalid_utf8: z.boolean(),
});
export type TextWindow = z.infer<typeof TextWindow>;

const found = ResolvedPath.extend({ size: z.number().int(), sha256: FileHash });

export const FileReadResult = z.discriminatedUnion("type", [
  found.extend({ type: z.literal("text"), text: TextWindow }),
  found.extend({
    type: z.literal("image"),
    mime_type: z.string(),
    width: z.number().int(),
    height: z.number().int(),
    /** The image in base64; null when it is too large for clients (`limits.imageSideMax`, `limits.imageBase64MaxChars`). */
    data: z.string().nullable(),
  }),
  found.extend({
    type: z.literal("pdf"),
    /** The number of pages; null when they cannot be counted. */
    pages: z.number().int().nullable(),
    /** The extracted text; null when the machine has no `pdftotext` or the PDF has no text. */
    text: TextWindow.nullable(),
  }),
  /** `what` is a short description of the file format. */
  found.extend({ type: z.literal("binary"), what: z.string() }),
]);
export type FileReadResult = z.infer<typeof FileReadResult>;
