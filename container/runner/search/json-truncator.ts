// Truncates one JSON text of any size while it streams through, and keeps it valid: a long string keeps its start, and a long
// array its first elements.

/** A multiple of four, so that base64 stays whole. */
export const STRING_MAX_BYTES = 1024 * 1024;
const ARRAY_MAX_BYTES = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = [0x5b, 0x7b];
const CLOSE = [0x5d, 0x7d];

export class JsonTruncator {
  #kept: Buffer[] = [];
  #inString = false;
  /** Bytes of an escape sequence that are still to come. */
  #escape = 0;
  #stringBytes = 0;
  /** Each open bracket, and the bytes kept inside it. */
  #open: { bracket: number; bytes: number }[] = [];
  /** Set inside an array that has reached its limit: nothing is kept until it closes at this depth. */
  #skippingAt: number | null = null;

  push(chunk: Buffer): void {
    const kept = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      if (this.#keeps(byte)) kept[length++] = byte;
    }
    if (length > 0) this.#kept.push(Buffer.from(kept.subarray(0, length)));
  }

  finish(): Buffer {
    return Buffer.concat(this.#kept);
  }

  #keeps(byte: number): boolean {
    const keep = this.#inString ? this.#keepsInString(byte) : this.#keepsOutside(byte);
    if (keep) for (const bracket of this.#open) bracket.bytes += 1;
    return keep && this.#skippingAt === null;
  }

  #keepsInString(byte: number): boolean {
    if (this.#escape > 0) {
      if (this.#escape === 5 && byte !== 0x75) this.#escape = 1;
      this.#escape -= 1;
      return this.#stringBytes <= STRING_MAX_BYTES;
    }
    if (byte === QUOTE) {
      this.#inString = false;
      return true;
    }
    // The cut must not fall inside a character or an escape sequence.
    const starts = (byte & 0xc0) !== 0x80;
    if (this.#stringBytes < STRING_MAX_BYTES) this.#stringBytes += 1;
    else if (starts) this.#stringBytes = STRING_MAX_BYTES + 1;
    if (byte === BACKSLASH) this.#escape = 5;
    return this.#stringBytes <= STRING_MAX_BYTES;
  }

  #keepsOutside(byte: number): boolean {
    if (byte === QUOTE) {
      this.#inString = true;
      this.#stringBytes = 0;
    } else if (OPEN.includes(byte)) {
      this.#open.push({ bracket: byte, bytes: 0 });
    } else if (CLOSE.includes(byte)) {
      this.#open.pop();
      if (this.#skippingAt !== null && this.#open.length < this.#skippingAt) this.#skippingAt = null;
    } else if (byte === COMMA && this.#skippingAt === null) {
      const inner = this.#open.at(-1);
      if (inner !== undefined && inner.bracket === OPEN[0] && inner.bytes > ARRAY_MAX_BYTES)
        this.#skippingAt = this.#open.length;
    }
    return true;
  }
}
