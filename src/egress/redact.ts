// Removes a credential from a response in case the server echoes it. Each encoding of the credential is replaced by
// asterisks of the same length, so that lengths stay true. Streams of any size work, with less held back than the longest
// encoding.

import { Buffer } from "node:buffer";

export function redactText(text: string, encodings: readonly string[]): string {
  return encodings.reduce((result, encoding) => result.replaceAll(encoding, "*".repeat(encoding.length)), text);
}

/** A transform for one stream (transform-bytes.ts). */
export function redactBytes(encodings: readonly string[]): {
  transform(chunk: Uint8Array): Uint8Array;
  flush(): Uint8Array;
} {
  const encoder = new TextEncoder();
  const needles = encodings.map((encoding) => encoder.encode(encoding));
  const longest = Math.max(0, ...needles.map((needle) => needle.length));
  let held: Uint8Array = new Uint8Array();
  return {
    transform(chunk) {
      const bytes = new Uint8Array(held.length + chunk.length);
      bytes.set(held);
      bytes.set(chunk, held.length);
      for (const needle of needles) blank(bytes, needle);
      // A needle may start in the last bytes, so these are held until the next chunk.
      const partial = longestPartialMatch(bytes, needles, longest);
      held = bytes.slice(bytes.length - partial);
      return bytes.subarray(0, bytes.length - partial);
    },
    flush: () => held,
  };
}

function blank(bytes: Uint8Array, needle: Uint8Array): void {
  // Buffer's search is native, many times faster than a loop here.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
    bytes.fill(ASTERISK, at, at + needle.length);
  }
}

/** How many of the last bytes are a proper prefix of some needle. */
function longestPartialMatch(bytes: Uint8Array, needles: Uint8Array[], longest: number): number {
  for (let length = Math.min(longest - 1, bytes.length); length > 0; length -= 1) {
    const end = bytes.subarray(bytes.length - length);
    if (needles.some((needle) => needle.length > length && end.every((byte, index) => byte === needle[index])))
      return length;
  }
  return 0;
}

const ASTERISK = "*".charCodeAt(0);
