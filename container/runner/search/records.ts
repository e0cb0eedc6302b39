// Splits a stream of bytes into records at a separator. A record of ripgrep's JSON can be as long as the longest line of any
// file: an oversize one is truncated while it arrives (json-truncator.ts), so that it stays valid and small.

import { JsonTruncator } from "./json-truncator.ts";

/** Longer than any ordinary line with its hits, and short enough to hold in memory. */
const OVERSIZE_BYTES = 4 * 1024 * 1024;

export class Records {
  readonly #separator: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #truncator: JsonTruncator | null = null;

  constructor(separator: "\n" | "\0") {
    this.#separator = separator.charCodeAt(0);
  }

  /** Returns the records that are now complete, and keeps what follows the last separator. */
  push(chunk: Buffer): Buffer[] {
    const complete: Buffer[] = [];
    let from = 0;
    for (let at = chunk.indexOf(this.#separator); at !== -1; at = chunk.indexOf(this.#separator, from)) {
      complete.push(this.#finish(chunk.subarray(from, at)));
      from = at + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    return complete;
  }

  #hold(part: Buffer): void {
    if (this.#truncator !== null) {
      this.#truncator.push(part);
      return;
    }
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    if (this.#pendingBytes < OVERSIZE_BYTES) return;
    this.#truncator = new JsonTruncator();
    for (const waiting of this.#pending) this.#truncator.push(waiting);
    this.#clear();
  }

  #finish(part: Buffer): Buffer {
    if (this.#truncator !== null) {
      this.#truncator.push(part);
      const truncated = this.#truncator.finish();
      this.#truncator = null;
      return truncated;
    }
    if (this.#pending.length === 0) return part;
    const record = Buffer.concat([...this.#pending, part]);
    this.#clear();
    return record;
  }

  #clear(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
