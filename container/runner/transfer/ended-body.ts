// Takes the end that the Worker puts after a body off again, and says whether it was there (src/contract/transfer.ts).

import { endOf } from "../../../src/contract/transfer.ts";

export class EndedBody {
  readonly #endBytes: number;
  /** The last bytes that came: they may be the end. */
  #held: Buffer = Buffer.alloc(0);
  #size = 0;

  /** `endBytes` is 0 for a body without such an end. */
  constructor(endBytes: number) {
    this.#endBytes = endBytes;
  }

  /** The bytes that certainly belong to the body. */
  push(chunk: Buffer): Buffer {
    const known = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const ready = known.subarray(0, Math.max(0, known.length - this.#endBytes));
    this.#held = known.subarray(ready.length);
    this.#size += ready.length;
    return ready;
  }

  isWhole(): boolean {
    return this.#endBytes === 0 || this.#held.toString("latin1") === endOf(this.#size);
  }
}
