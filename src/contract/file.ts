// What a file is, as every file operation that deals with one reports it. Paths are text: absolute, under the workspace, or
// under the home directory with a leading `~`.

import * as z from "zod";

export const FilePath = z.string().min(1);

export const FileKind = z.enum(["file", "directory", "symlink", "fifo", "socket", "character device", "block device"]);
export type FileKind = z.infer<typeof FileKind>;

/** Of the whole content, in hex; null for a file over `limits.fileHashMaxBytes`. */
export const FileHash = z.string().nullable();

/** A hash the file must have, whole or its first digits (at least 12), so that nothing is done to a file that changed. */
export const ExpectedHash = z
  .string()
  .regex(/^[0-9a-f]{12,64}$/, "must be the first 12 to 64 hex digits of a sha256")
  .nullable();

/** The path as resolved, and where it really is when symlinks lead elsewhere. */
export const FilePlaceReport = z.object({ path: z.string(), real_path: z.string().nullable() });

export const LineEndings = z.enum(["lf", "crlf", "mixed", "none"]);
export type LineEndings = z.infer<typeof LineEndings>;

export const TextEncoding = z.enum(["utf-8", "utf-16le", "utf-16be"]);
export type TextEncoding = z.infer<typeof TextEncoding>;

/** A unified diff with three lines of context, its line ends shown as `\n`. */
export const FileDiff = z.object({
  text: z.string(),
  added: z.number().int(),
  removed: z.number().int(),
  /** Lines of the diff that `text` leaves out at its end. */
  omitted_lines: z.number().int(),
});
export type FileDiff = z.infer<typeof FileDiff>;

/** What a write did, whichever operation made it. */
export const FileWritten = FilePlaceReport.extend({
  dry_run: z.boolean(),
  /** Null where there was no file. */
  size_before: z.number().int().nullable(),
  size: z.number().int(),
  sha256: FileHash,
  /** Null where it would say nothing: a new file, a large change, bytes that are not text. */
  diff: FileDiff.nullable(),
  /** Other names of the same file, which keep the content it had. */
  other_links: z.number().int(),
  /** The directory takes no new file, or the file is a mount: it was written where it is, not atomically. */
  in_place: z.boolean(),
});
export type FileWritten = z.infer<typeof FileWritten>;
