// Removes a credential from what comes back, should the server echo it: each form of it becomes as many asterisks, so that
// lengths stay true. Works on a stream of any size and holds back less than the longest form.

import { Buffer } from "node:buffer";

export function redactText(text: string, forms: readonly string[]): string {
  return forms.reduce((result, form) => result.replaceAll(form, "*".repeat(form.length)), text);
}

/** For one stream (pass-bytes.ts). */
export function redactBytes(forms: readonly string[]): {
  pass(chunk: Uint8Array): Uint8Array;
  rest(): Uint8Array;
} {
  const encoder = new TextEncoder();
  const needles = forms.map((form) => encoder.encode(form));
  const longest = Math.max(0, ...needles.map((needle) => needle.length));
  let held: Uint8Array = new Uint8Array();
  return {
    pass(chunk) {
      const bytes = new Uint8Array(held.length + chunk.length);
      bytes.set(held);
      bytes.set(chunk, held.length);
      for (const needle of needles) blank(bytes, needle);
      // A form may have begun at the end: that much is kept until more has come.
      const begun = longestBeginning(bytes, needles, longest);
      held = bytes.slice(bytes.length - begun);
      return bytes.subarray(0, bytes.length - begun);
    },
    rest: () => held,
  };
}

function blank(bytes: Uint8Array, needle: Uint8Array): void {
  // Its search is the runtime's own, and many times faster than one in code.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
    bytes.fill(ASTERISK, at, at + needle.length);
  }
}

/** How many of the last bytes are the beginning of a needle. */
function longestBeginning(bytes: Uint8Array, needles: Uint8Array[], longest: number): number {
  for (let length = Math.min(longest - 1, bytes.length); length > 0; length -= 1) {
    const end = bytes.subarray(bytes.length - length);
    if (needles.some((needle) => needle.length > length && end.every((byte, index) => byte === needle[index])))
      return length;
  }
  return 0;
}

const ASTERISK = "*".charCodeAt(0);
