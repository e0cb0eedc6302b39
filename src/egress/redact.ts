// Removes a credential from a response in case the server echoes it. Each encoding of the credential is replaced by
// asterisks of the same length, so that lengths stay true. Streams of any size work.
//
// What is passed on, and when, shows nothing of the credential: code that makes a host echo its guesses must not learn from a
// delay that a guess was right. How much of a stream is held back depends on lengths and line breaks alone.

import { Buffer } from "node:buffer";

export function redactText(text: string, encodings: readonly string[]): string {
  const redacted = text.split("");
  for (const encoding of encodings)
    for (const at of occurrences(text, encoding)) redacted.fill("*", at, at + encoding.length);
  return redacted.join("");
}

/** A transform for one stream (transform-bytes.ts). No encoding may contain a line break. */
export function redactBytes(encodings: readonly string[]): {
  transform(chunk: Uint8Array): Uint8Array;
  flush(): Uint8Array;
} {
  const encoder = new TextEncoder();
  const needles = encodings.map((encoding) => encoder.encode(encoding));
  const longest = Math.max(1, ...needles.map((needle) => needle.length));
  /** The last bytes as they were received, in which a needle may begin. */
  let held: Uint8Array = new Uint8Array();
  /** Where needles are that end in `held`; those that begin before it have a negative `start`. */
  let found: Range[] = [];
  return {
    transform(chunk) {
      const bytes = new Uint8Array(held.length + chunk.length);
      bytes.set(held);
      bytes.set(chunk, held.length);
      const searched = Buffer.from(bytes.buffer, 0, bytes.length);
      for (const needle of needles)
        for (const start of occurrences(searched, needle)) found.push({ start, end: start + needle.length });
      const end = bytes.length - bytesToHold(bytes, longest - 1);
      held = bytes.slice(end);
      const redacted = redact(bytes, found).subarray(0, end);
      found = found
        .map((range) => ({ start: range.start - end, end: range.end - end }))
        .filter((range) => range.end > 0);
      return redacted;
    },
    flush: () => redact(held, found),
  };
}

interface Range {
  start: number;
  end: number;
}

/** Changes `bytes`. */
function redact(bytes: Uint8Array, ranges: readonly Range[]): Uint8Array {
  for (const { start, end } of ranges) bytes.fill(ASTERISK, Math.max(0, start), end);
  return bytes;
}

/** Those after the last line break, because no needle goes on beyond one: the event that ends with it is passed on at once. */
function bytesToHold(bytes: Uint8Array, most: number): number {
  const tail = bytes.subarray(Math.max(0, bytes.length - most));
  return tail.length - 1 - Math.max(tail.lastIndexOf(LINE_FEED), tail.lastIndexOf(CARRIAGE_RETURN));
}

/** Overlapping ones too, so that the result does not depend on where a stream is split. Buffer's search is native. */
function* occurrences<Part>(whole: { indexOf(part: Part, from?: number): number }, part: Part): Generator<number> {
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) yield at;
}

const [ASTERISK, LINE_FEED, CARRIAGE_RETURN] = [0x2a, 0x0a, 0x0d];
