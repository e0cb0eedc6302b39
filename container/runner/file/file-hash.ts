// The hash by which a caller identifies the content of a file.

import { createHash, type Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { limits } from "../../../src/contract/limits.ts";
import { readChunks } from "./read-chunks.ts";

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Null for a file over the limit. A caller that needs the hash at any size passes a limit of its own. */
export async function hashFile(
  handle: FileHandle,
  size: number,
  limit = limits.fileHashMaxBytes,
): Promise<string | null> {
  if (size > limit) return null;
  const bytes = new BytesHash(limit);
  for await (const chunk of readChunks(handle, 0)) {
    bytes.add(chunk);
    if (bytes.isOver) return null;
  }
  return bytes.digest();
}

/** A hash of a stream up to a limit: how long a file in /proc or /dev is cannot be known before, and it may have no end. */
export class BytesHash {
  readonly #hash: Hash = createHash("sha256");
  #remaining: number;

  constructor(limit: number) {
    this.#remaining = limit;
  }

  get isOver(): boolean {
    return this.#remaining < 0;
  }

  add(chunk: Buffer): void {
    this.#remaining -= chunk.length;
    if (!this.isOver) this.#hash.update(chunk);
  }

  /** Null over the limit. */
  digest(): string | null {
    return this.isOver ? null : this.#hash.digest("hex");
  }
}

/** Passes the bytes through and adds them to the hash. */
export async function* hashChunks(source: AsyncIterable<Buffer>, hash: BytesHash): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    hash.add(chunk);
    yield chunk;
  }
}
