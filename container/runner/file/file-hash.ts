// The hash by which a caller says which content of a file it means.

import { createHash, type Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { limits } from "../../../src/contract/limits.ts";
import { pieces } from "./pieces.ts";

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Null for a file over the limit; a hash that was asked for is made at any size. */
export async function hashFile(
  handle: FileHandle,
  size: number,
  limit = limits.fileHashMaxBytes,
): Promise<string | null> {
  if (size > limit) return null;
  const hash = createHash("sha256");
  for await (const piece of pieces(handle, 0)) hash.update(piece);
  return hash.digest("hex");
}

export async function* hashing(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    hash.update(piece);
    yield piece;
  }
}

/** `expected` may be the first digits only. */
export const isExpected = (expected: string | null, actual: string | null): boolean =>
  expected === null || (actual?.startsWith(expected) ?? false);
