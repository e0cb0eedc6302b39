// Keeps the first and the last bytes of a stream in bounded memory, with exact counts of all bytes and lines.

import { countNewlines } from "./count-newlines.ts";

export interface CaptureLimits {
  headBytes: number;
  tailBytes: number;
}

export class Capture {
  readonly #limits: CaptureLimits;
  #head = Buffer.alloc(0);
  #headLength = 0;
  /** A ring buffer: the byte at stream offset `o` beyond the head is at `(o - #limits.headBytes) % tailBytes`. */
  #tail = Buffer.alloc(0);
  #newlines = 0;
  #lastByte = 10;
  bytes = 0;

  constructor(limits: CaptureLimits) {
    this.#limits = limits;
  }

  /** A last line without a newline counts too. */
  get lines(): number {
    return this.#newlines + (this.#lastByte === 10 ? 0 : 1);
  }

  /** Copies what it keeps, so that the caller may reuse `chunk`. */
  append(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#newlines += countNewlines(chunk);
    this.#lastByte = chunk[chunk.length - 1] ?? 10;
    const toHead = Math.min(chunk.length, this.#limits.headBytes - this.#headLength);
    if (toHead > 0) this.#appendHead(chunk.subarray(0, toHead));
    if (toHead < chunk.length) this.#appendTail(chunk.subarray(toHead), this.bytes + toHead);
    this.bytes += chunk.length;
  }

  /** The bytes of a range; null when memory does not hold all of them. */
  slice(start: number, end: number): Buffer | null {
    if (start >= end) return Buffer.alloc(0);
    if (end <= this.#headLength) return Buffer.from(this.#head.subarray(start, end));
    if (start >= this.tailStart) return this.#sliceTail(start, end);
    if (start > this.#headLength || this.tailStart > this.#headLength) return null;
    return Buffer.concat([this.#head.subarray(start, this.#headLength), this.#sliceTail(this.#headLength, end)]);
  }

  /** The first offset from which memory holds everything to the end. */
  get tailStart(): number {
    return Math.max(this.#headLength, this.bytes - this.#tail.length);
  }

  /** Frees the memory, once the log has all of the stream. */
  release(): void {
    this.#head = Buffer.alloc(0);
    this.#tail = Buffer.alloc(0);
    this.#headLength = 0;
  }

  #appendHead(chunk: Uint8Array): void {
    const needed = this.#headLength + chunk.length;
    if (needed > this.#head.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(this.#limits.headBytes, Math.max(needed, this.#head.length * 2)));
      grown.set(this.#head.subarray(0, this.#headLength));
      this.#head = grown;
    }
    this.#head.set(chunk, this.#headLength);
    this.#headLength = needed;
  }

  #appendTail(chunk: Uint8Array, offset: number): void {
    const size = this.#limits.tailBytes;
    if (this.#tail.length === 0) this.#tail = Buffer.allocUnsafeSlow(size);
    const kept = chunk.subarray(Math.max(0, chunk.length - size));
    const at = (offset + chunk.length - kept.length - this.#limits.headBytes) % size;
    const first = Math.min(kept.length, size - at);
    this.#tail.set(kept.subarray(0, first), at);
    this.#tail.set(kept.subarray(first), 0);
  }

  #sliceTail(start: number, end: number): Buffer {
    const size = this.#tail.length;
    const at = (start - this.#limits.headBytes) % size;
    const length = end - start;
    const first = Math.min(length, size - at);
    return Buffer.concat([this.#tail.subarray(at, at + first), this.#tail.subarray(0, length - first)]);
  }
}
