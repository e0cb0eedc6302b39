// file-stat: what is at a path. A symlink is followed, and the answer gives its target.

import * as z from "zod";
import { FileHash, FileKind, FilePath, ResolvedPath } from "./file.ts";

export const FileStatRequest = z.object({ path: FilePath });
export type FileStatRequest = z.infer<typeof FileStatRequest>;

export const FileStatResult = ResolvedPath.extend({
  /** `symlink` only when the target does not exist. */
  kind: FileKind,
  /** The target as written in the symlink; null when the path is not a symlink. */
  link_target: z.string().nullable(),
  size: z.number().int(),
  /** Octal permission bits, such as "0644". */
  mode: z.string(),
  owner: z.object({ uid: z.number().int(), gid: z.number().int() }),
  /** The number of hard links. */
  links: z.number().int(),
  /** Epoch milliseconds. */
  modified_at: z.number(),
  changed_at: z.number(),
  created_at: z.number().nullable(),
  sha256: FileHash,
  /** A short description of the format of a regular file; null for other kinds. */
  what: z.string().nullable(),
  /** The number of entries of a directory; null for other kinds. */
  entries: z.number().int().nullable(),
});
export type FileStatResult = z.infer<typeof FileStatResult>;
