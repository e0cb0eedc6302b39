// Removes the terminator that the Worker puts after a complete body, and tells whether it was there (src/contract/transfer.ts).

export class TerminatedBody {
  readonly #terminator: string;
  /** The last bytes received, which may be the terminator. */
  #held: Buffer = Buffer.alloc(0);

  /** `terminator` is empty for a body without one. */
  constructor(terminator: string) {
    this.#terminator = terminator;
  }

  /** Returns the bytes that are sure to belong to the body. */
  push(chunk: Buffer): Buffer {
    const received = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const ready = received.subarray(0, Math.max(0, received.length - this.#terminator.length));
    this.#held = received.subarray(ready.length);
    return ready;
  }

  isComplete(): boolean {
    return this.#held.toString("latin1") === this.#terminator;
  }
}
