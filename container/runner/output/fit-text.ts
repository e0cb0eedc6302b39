// Fits raw output into a number of characters of clean text, and tells exactly which raw bytes the text stands for. It is cut
// between lines when that wastes little.

import { isUtf8 } from "node:buffer";
import { terminalText } from "./terminal-text.ts";
import { firstCharacterOffset, wholeCharactersLength } from "./utf8.ts";

/** Clean text and the raw bytes it was made from. */
export interface FittedText {
  text: string;
  bytes: Buffer;
}

export const cleanText = (bytes: Buffer): string => terminalText(bytes.toString("utf8"));

export const isInvalidUtf8 = (bytes: Buffer): boolean => !isUtf8(bytes);

/** As much of the start of `bytes` as fits into `chars` characters. */
export function fitStart(bytes: Buffer, chars: number): FittedText {
  const texts: string[] = [];
  let end = 0;
  let used = 0;
  while (end < bytes.length) {
    const newline = bytes.indexOf(10, end);
    const line = bytes.subarray(end, newline < 0 ? bytes.length : newline + 1);
    const whole = cleanText(line);
    const fits = used + whole.length <= chars;
    if (!fits && used > chars / 2) break;
    const part = fits ? { text: whole, bytes: line } : cutLineEnd(line, chars - used);
    texts.push(part.text);
    used += part.text.length;
    end += part.bytes.length;
    if (!fits) break;
  }
  return { text: texts.join(""), bytes: bytes.subarray(0, end) };
}

/** As much of the end of `bytes` as fits into `chars` characters. */
export function fitEnd(bytes: Buffer, chars: number): FittedText {
  const texts: string[] = [];
  let start = bytes.length;
  let used = 0;
  while (start > 0) {
    const newline = start < 2 ? -1 : bytes.lastIndexOf(10, start - 2);
    const line = bytes.subarray(newline + 1, start);
    const whole = cleanText(line);
    const fits = used + whole.length <= chars;
    if (!fits && used > chars / 2) break;
    const part = fits ? { text: whole, bytes: line } : cutLineStart(line, chars - used);
    texts.push(part.text);
    used += part.text.length;
    start -= part.bytes.length;
    if (!fits) break;
  }
  return { text: texts.reverse().join(""), bytes: bytes.subarray(start) };
}

/** The longest start of one line that fits. */
function cutLineEnd(line: Buffer, chars: number): FittedText {
  return longest(line.length, chars, (length) => {
    const part = line.subarray(0, length);
    return part.subarray(0, wholeCharactersLength(part));
  });
}

/** The longest end of one line that fits. */
function cutLineStart(line: Buffer, chars: number): FittedText {
  return longest(line.length, chars, (length) => {
    const part = line.subarray(line.length - length);
    return length === line.length ? part : part.subarray(firstCharacterOffset(part));
  });
}

/** How much shorter clean text is than its bytes is known only after cleaning, hence a binary search. */
function longest(length: number, chars: number, cut: (length: number) => Buffer): FittedText {
  let best: FittedText = { text: "", bytes: cut(0) };
  let low = 0;
  let high = Math.min(length, chars * BYTES_PER_CHARACTER);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const bytes = cut(middle);
    const text = cleanText(bytes);
    if (text.length <= chars) {
      best = { text, bytes };
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return best;
}

/** At most this many bytes of a line are tried for each wanted character: enough for one with colours of its own. */
const BYTES_PER_CHARACTER = 8;
