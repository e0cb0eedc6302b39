// Finds where characters begin and end in raw UTF-8, so that cutting never turns a valid character into U+FFFD.

/** The length of `bytes` without an incomplete character at the end. */
export function wholeCharactersLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The offset of the first character that starts in `bytes`, which may begin in the middle of one. */
export function firstCharacterOffset(bytes: Uint8Array): number {
  let offset = 0;
  while (offset < 3 && offset < bytes.length && isContinuation(bytes[offset] ?? 0)) offset++;
  return offset;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 1;
}
