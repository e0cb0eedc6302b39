// Writes to a stream one at a time and joins the pieces that arrive during a write into the next one. Each write wakes the
// runtime and the receiving host, and a client may send its body in very small pieces.

/** More buffered bytes than this make `write` wait. */
const BUFFER_MAX_BYTES = 256 * 1024;

export class CoalescingWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** The write loop; null when idle. It stays set, rejected, after a write fails. */
  #writing: Promise<void> | null = null;
  #hasFailed = false;

  constructor(writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#writer = writer;
  }

  /**
   * Keeps a reference to `piece` until it is written. Resolves when there is room for another piece; rejects when an earlier
   * write failed.
   */
  async write(piece: Uint8Array): Promise<void> {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#writing ??= this.#writeAll();
    // The rejection is reported by the next `write` or `end`; until then it must not count as unhandled.
    this.#writing.catch(() => {
      this.#hasFailed = true;
    });
    while (this.#hasFailed || this.#bytes > BUFFER_MAX_BYTES) await this.#writing;
  }

  /** Resolves when everything is written; rejects when a write failed. */
  async end(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#bytes > 0) {
      const pieces = this.#pieces;
      const joined = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : join(pieces, this.#bytes);
      this.#pieces = [];
      this.#bytes = 0;
      await this.#writer.write(joined);
    }
    this.#writing = null;
  }
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}
