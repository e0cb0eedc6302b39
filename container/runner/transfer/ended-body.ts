// Takes the word that the Worker puts after a whole body off again, and says whether it was there (src/contract/transfer.ts).

export class EndedBody {
  readonly #end: string;
  /** The last bytes that came: they may be the end. */
  #held: Buffer = Buffer.alloc(0);

  /** `end` is empty for a body without such a word. */
  constructor(end: string) {
    this.#end = end;
  }

  /** The bytes that certainly belong to the body. */
  push(chunk: Buffer): Buffer {
    const known = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const ready = known.subarray(0, Math.max(0, known.length - this.#end.length));
    this.#held = known.subarray(ready.length);
    return ready;
  }

  isWhole(): boolean {
    return this.#held.toString("latin1") === this.#end;
  }
}
