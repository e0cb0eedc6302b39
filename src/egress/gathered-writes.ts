// Writes to a stream, one at a time: what comes while one is under way is gathered for the next. Each write wakes the runtime
// and the host that it goes to, and a client may hand over its body in very small pieces.

/** More than this does not wait: whoever writes does. */
const WAITING_MAX_BYTES = 256 * 1024;

export class GatheredWrites {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  /** Stays there, rejected, when a write failed. */
  #writing: Promise<void> | null = null;
  #hasFailed = false;

  constructor(writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#writer = writer;
  }

  /** The piece is kept until it is written. Resolves when there is room for another; rejects when a write before it failed. */
  async write(piece: Uint8Array): Promise<void> {
    if (piece.length === 0) return;
    this.#waiting.push(piece);
    this.#bytes += piece.length;
    this.#writing ??= this.#writeAll();
    // It is awaited with a later piece, which may be long in coming.
    this.#writing.catch(() => {
      this.#hasFailed = true;
    });
    while (this.#hasFailed || this.#bytes > WAITING_MAX_BYTES) await this.#writing;
  }

  /** Resolves when everything is written. */
  async end(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#bytes > 0) {
      const pieces = this.#waiting;
      const whole = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : joined(pieces, this.#bytes);
      this.#waiting = [];
      this.#bytes = 0;
      await this.#writer.write(whole);
    }
    this.#writing = null;
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
