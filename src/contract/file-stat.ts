// file-stat: what is at a path. A symlink is followed, and told of.

import * as z from "zod";
import { FileHash, FileKind, FilePath, FilePlaceReport } from "./file.ts";

export const FileStatRequest = z.object({ path: FilePath });
export type FileStatRequest = z.infer<typeof FileStatRequest>;

export const FileStatResult = FilePlaceReport.extend({
  /** `symlink` only where it leads to nothing. */
  kind: FileKind,
  /** Where the path itself is a symlink: what it says. */
  link_target: z.string().nullable(),
  size: z.number().int(),
  /** Octal permission bits, such as "0644". */
  mode: z.string(),
  owner: z.object({ uid: z.number().int(), gid: z.number().int() }),
  links: z.number().int(),
  /** Epoch milliseconds. */
  modified_at: z.number(),
  changed_at: z.number(),
  created_at: z.number().nullable(),
  sha256: FileHash,
  /** Of a regular file: its format in a few words. Of a directory: null. */
  what: z.string().nullable(),
  /** Of a directory. */
  entries: z.number().int().nullable(),
});
export type FileStatResult = z.infer<typeof FileStatResult>;
