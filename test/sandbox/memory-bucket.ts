// An object store in memory, which checks hashes as R2 does.

import { createHash } from "node:crypto";

import type { ObjectStore } from "../../src/sandbox/checkpoints/object-store.ts";

export class MemoryBucket implements ObjectStore {
  readonly #objects = new Map<string, Uint8Array<ArrayBuffer>>();
  /** Set to make every call fail, as when the object store is down. */
  isDown = false;

  async put(key: string, value: ReadableStream | string, { sha256 }: { sha256?: string } = {}) {
    this.#refuseWhenDown();
    const bytes = new Uint8Array(await new Response(value).arrayBuffer());
    if (sha256 !== undefined && createHash("sha256").update(bytes).digest("hex") !== sha256) {
      throw new Error("put: The SHA-256 checksum you specified did not match what we received");
    }
    this.#objects.set(key, bytes);
    return { size: bytes.length };
  }

  async get(key: string, { range }: { range?: { offset: number; length: number } } = {}) {
    this.#refuseWhenDown();
    const bytes = this.#objects.get(key);
    if (bytes === undefined) return null;
    const part = range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length);
    return { size: bytes.length, body: new Blob([part]).stream() };
  }

  async head(key: string) {
    this.#refuseWhenDown();
    return this.#objects.has(key) ? {} : null;
  }

  async delete(keys: string | string[]) {
    this.#refuseWhenDown();
    for (const key of [keys].flat()) this.#objects.delete(key);
  }

  async list({ prefix, limit }: { prefix: string; limit: number }) {
    this.#refuseWhenDown();
    return { objects: this.keys(prefix).slice(0, limit) };
  }

  keys(prefix = ""): string[] {
    return [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  /** Changes one byte of an object. */
  damage(key: string): void {
    const bytes = this.#objects.get(key);
    if (bytes === undefined) throw new Error(`There is no object ${key}`);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  }

  #refuseWhenDown(): void {
    if (this.isDown) throw new Error("internal error");
  }
}
