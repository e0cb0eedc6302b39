// Cuts a stream of bytes into records at a separator. A record of ripgrep's JSON can be as long as the longest line of any
// file: an oversize one is squeezed while it comes in (squeeze.ts), so that it stays valid and small.

import { Squeeze } from "./json-truncator.ts";

/** Longer than any honest line with its hits; shorter than what hurts. */
const OVERSIZE_BYTES = 4 * 1024 * 1024;

export class Records {
  readonly #separator: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #squeeze: Squeeze | null = null;

  constructor(separator: "\n" | "\0") {
    this.#separator = separator.charCodeAt(0);
  }

  /** The records that are now complete. What follows the last separator waits for more. */
  push(chunk: Buffer): Buffer[] {
    const complete: Buffer[] = [];
    let from = 0;
    for (let at = chunk.indexOf(this.#separator); at !== -1; at = chunk.indexOf(this.#separator, from)) {
      complete.push(this.#finish(chunk.subarray(from, at)));
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return complete;
  }

  #keep(part: Buffer): void {
    if (this.#squeeze !== null) {
      this.#squeeze.push(part);
      return;
    }
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    if (this.#pendingBytes < OVERSIZE_BYTES) return;
    this.#squeeze = new Squeeze();
    for (const waiting of this.#pending) this.#squeeze.push(waiting);
    this.#forget();
  }

  #finish(part: Buffer): Buffer {
    if (this.#squeeze !== null) {
      this.#squeeze.push(part);
      const squeezed = this.#squeeze.finish();
      this.#squeeze = null;
      return squeezed;
    }
    if (this.#pending.length === 0) return part;
    const record = Buffer.concat([...this.#pending, part]);
    this.#forget();
    return record;
  }

  #forget(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
