// file-bytes: a range of the raw bytes of a file.

import * as z from "zod";
import { FileHash, FilePath, ResolvedPath } from "./file.ts";
import { limits } from "./limits.ts";

export const FileBytesRequest = z.object({
  path: FilePath,
  /** The first byte, 0-based; a negative number counts from the end. */
  offset: z.number().int(),
  length: z.number().int().min(1).max(limits.fileBytesMax),
});
export type FileBytesRequest = z.infer<typeof FileBytesRequest>;

export const FileBytesResult = ResolvedPath.extend({
  size: z.number().int(),
  sha256: FileHash,
  /** A short description of the file format. */
  what: z.string(),
  offset: z.number().int(),
  length: z.number().int(),
  /** Base64. */
  data: z.string(),
});
export type FileBytesResult = z.infer<typeof FileBytesResult>;
