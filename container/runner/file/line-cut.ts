// One line that arrives in chunks, of which only a range of characters is kept: a line may be larger than memory.

import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";

export interface CharRange {
  /** How many characters (UTF-16 code units) come before it. */
  skip: number;
  length: number;
}

export interface KeptLine {
  text: string;
  /** The length of the whole line. */
  chars: number;
  invalidUtf8: boolean;
}

export class LineCut {
  readonly #decoder = new StringDecoder("utf8");
  readonly #range: CharRange;
  #kept = "";
  #chars = 0;
  #invalidUtf8 = false;

  constructor(range: CharRange) {
    this.#range = range;
  }

  add(bytes: Buffer): void {
    this.#take(this.#decoder.write(bytes));
  }

  end(): KeptLine {
    this.#take(this.#decoder.end());
    return { text: wholeCharacters(this.#kept), chars: this.#chars, invalidUtf8: this.#invalidUtf8 };
  }

  #take(text: string): void {
    const from = Math.max(0, this.#range.skip - this.#chars);
    const room = this.#range.length - this.#kept.length;
    if (room > 0 && from < text.length) this.#kept += text.slice(from, from + room);
    this.#chars += text.length;
    this.#invalidUtf8 ||= text.includes("\uFFFD");
  }
}

/** The same for a line that is available as a whole. */
export function cutLine(bytes: Buffer, { skip, length }: CharRange): KeptLine {
  const text = bytes.toString("utf8");
  const kept = skip === 0 && text.length <= length ? text : wholeCharacters(text.slice(skip, skip + length));
  return { text: kept, chars: text.length, invalidUtf8: text.includes("\uFFFD") && !isUtf8(bytes) };
}

/** Removes halves of surrogate pairs that cutting left at the ends. */
function wholeCharacters(text: string): string {
  return text.isWellFormed() ? text : text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}
