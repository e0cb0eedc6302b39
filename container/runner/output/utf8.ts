// Where characters begin and end in raw UTF-8, so that a cut of ours never makes a U+FFFD of a good character.

/** The length of `bytes` without a character that is still incomplete at its end. */
export function wholeCharactersLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The offset of the first character that starts in `bytes`, which itself may start in the middle of one. */
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
