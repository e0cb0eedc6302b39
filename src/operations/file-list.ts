// Resolves what a caller gives for listing a directory into the request of `file-list`.

import type { FileListRequest } from "../contract/file-list.ts";
import { limits } from "../contract/limits.ts";

export interface FileListInput {
  path?: string | undefined;
  depth?: number | undefined;
  no_ignore?: boolean | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

export interface FileListOptions {
  /** The depth when the caller gives none. */
  depth: number;
  /** Entries in all, when the caller gives no limit. */
  entries: number;
  /** Entries of each directory below the one that is listed. */
  innerEntries: number;
}

export const resolveFileList = (
  { path = ".", no_ignore = false, offset = 0, ...input }: FileListInput,
  { depth, entries, innerEntries }: FileListOptions,
): FileListRequest => ({
  path,
  depth: input.depth ?? depth,
  no_ignore,
  offset: Math.max(0, offset),
  limit: Math.min(input.limit ?? entries, limits.fileListMaxEntries),
  inner_limit: innerEntries,
});
