// The hash by which a caller says which content of a file it means.

import { createHash, type Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { limits } from "../../../src/contract/limits.ts";
import { pieces } from "./read-chunks.ts";

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Null for a file over the limit; a hash that was asked for is made at any size. */
export async function hashFile(
  handle: FileHandle,
  size: number,
  limit = limits.fileHashMaxBytes,
): Promise<string | null> {
  if (size > limit) return null;
  const bytes = new BytesHash(limit);
  for await (const piece of pieces(handle, 0)) {
    bytes.add(piece);
    if (bytes.isOver) return null;
  }
  return bytes.digest();
}

/** A hash of bytes as they come, up to a limit: what a file of the kernel has to say is not known before, and may not end. */
export class BytesHash {
  readonly #hash: Hash = createHash("sha256");
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  get isOver(): boolean {
    return this.#left < 0;
  }

  add(piece: Buffer): void {
    this.#left -= piece.length;
    if (!this.isOver) this.#hash.update(piece);
  }

  /** Null over the limit. */
  digest(): string | null {
    return this.isOver ? null : this.#hash.digest("hex");
  }
}

/** The same bytes, each of them added on its way. */
export async function* hashing(source: AsyncIterable<Buffer>, hash: BytesHash): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    hash.add(piece);
    yield piece;
  }
}

/** `expected` may be the first digits only. */
export const isExpected = (expected: string | null, actual: string | null): boolean =>
  expected === null || (actual?.startsWith(expected) ?? false);
