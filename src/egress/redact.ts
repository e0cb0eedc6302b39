// Removes a credential from what comes back, should the server echo it: each form of it becomes as many asterisks, so that
// lengths stay true. Works on a stream of any size and holds back less than the longest form.

export function redactText(text: string, forms: readonly string[]): string {
  return forms.reduce((result, form) => result.replaceAll(form, "*".repeat(form.length)), text);
}

/** For one stream (pass-bytes.ts). */
export function redactBytes(forms: readonly string[]): {
  pass(chunk: Uint8Array): Uint8Array;
  rest(): Uint8Array;
} {
  const encoder = new TextEncoder();
  const needles = forms.map((form) => encoder.encode(form)).filter((needle) => needle.length > 0);
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
  const [first = 0] = needle;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (startsAt(bytes, needle, at, needle.length)) bytes.fill(ASTERISK, at, at + needle.length);
  }
}

/** How many of the last bytes are the beginning of a needle. */
function longestBeginning(bytes: Uint8Array, needles: Uint8Array[], longest: number): number {
  for (let length = Math.min(longest - 1, bytes.length); length > 0; length -= 1) {
    const at = bytes.length - length;
    if (needles.some((needle) => needle.length > length && startsAt(bytes, needle, at, length))) return length;
  }
  return 0;
}

function startsAt(bytes: Uint8Array, needle: Uint8Array, at: number, length: number): boolean {
  if (at + length > bytes.length) return false;
  for (let index = 0; index < length; index += 1) if (bytes[at + index] !== needle[index]) return false;
  return true;
}

const ASTERISK = "*".charCodeAt(0);
