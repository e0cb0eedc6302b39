// Resolves what a caller gives for reading bytes into the request of `file-bytes`.

import type { FileBytesRequest } from "../contract/file-bytes.ts";

export interface FileBytesInput {
  path: string;
  offset?: number | undefined;
  length?: number | undefined;
}

export interface FileBytesOptions {
  /** The most that is read, and what is read when the caller gives no length. */
  maxBytes: number;
}

export const resolveFileBytes = (
  { path, offset = 0, length }: FileBytesInput,
  { maxBytes }: FileBytesOptions,
): FileBytesRequest => ({ path, offset, length: Math.min(length ?? maxBytes, maxBytes) });
