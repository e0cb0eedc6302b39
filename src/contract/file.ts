// The parts that file operations share. A path is absolute, relative to the workspace, or relative to the home directory
// with a leading `~`.

import * as z from "zod";

export const FilePath = z.string().min(1);

export const FileKind = z.enum(["file", "directory", "symlink", "fifo", "socket", "character device", "block device"]);
export type FileKind = z.infer<typeof FileKind>;

/** The SHA-256 of the whole content in hex; null for a file larger than `limits.fileHashMaxBytes`. */
export const FileHash = z.string().nullable();

/**
 * The hash that the file must have, in full or its first digits (at least 12), so that a changed file is left alone; null
 * for any.
 */
export const ExpectedHash = z
  .string()
  .regex(/^[0-9a-f]{12,64}$/, "must be the first 12 to 64 hex digits of a sha256")
  .nullable();

/** `path` is absolute. `real_path` is where symlinks lead; null when that is the same. */
export const ResolvedPath = z.object({ path: z.string(), real_path: z.string().nullable() });

export const LineEndings = z.enum(["lf", "crlf", "mixed", "none"]);
export type LineEndings = z.infer<typeof LineEndings>;

export const TextEncoding = z.enum(["utf-8", "utf-16le", "utf-16be"]);
export type TextEncoding = z.infer<typeof TextEncoding>;

/** A unified diff with three lines of context and `\n` as line ending. */
export const FileDiff = z.object({
  text: z.string(),
  added: z.number().int(),
  removed: z.number().int(),
  /** The number of lines that `text` omits at the end. */
  omitted_lines: z.number().int(),
});
export type FileDiff = z.infer<typeof FileDiff>;

/** The result of a write, whichever operation made it. */
export const FileWritten = ResolvedPath.extend({
  dry_run: z.boolean(),
  /** Null when there was no file before. */
  size_before: z.number().int().nullable(),
  size: z.number().int(),
  sha256: FileHash,
  /** Null for a new file, a file too large to be compared, and content that is not text. */
  diff: FileDiff.nullable(),
  /** The number of other hard links to the file, which keep the old content. */
  other_links: z.number().int(),
  /**
   * The file was overwritten in place and not atomically, because its directory is not writable or the file is a mount
   * point.
   */
  in_place: z.boolean(),
});
export type FileWritten = z.infer<typeof FileWritten>;
