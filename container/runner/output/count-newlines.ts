// Counts newlines in raw output, four bytes at a time: a loop over single bytes cannot keep up with what `yes` writes.

const NEWLINES = 0x0a0a0a0a;
const LOW_BITS = 0x7f7f7f7f;

export function countNewlines(bytes: Uint8Array): number {
  const head = (4 - (bytes.byteOffset & 3)) & 3;
  // Too few bytes to contain an aligned word.
  if (bytes.length < head + 4) return countOneByOne(bytes, 0, bytes.length);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + head, (bytes.length - head) >> 2);
  const tail = head + words.length * 4;
  return countOneByOne(bytes, 0, head) + countInWords(words) + countOneByOne(bytes, tail, bytes.length);
}

/** Each byte of `lanes` counts the zero bytes of `word ^ NEWLINES` at its position, and is read before it overflows. */
function countInWords(words: Int32Array): number {
  let total = 0;
  for (let start = 0; start < words.length; start += 255) {
    const end = Math.min(words.length, start + 255);
    let lanes = 0;
    for (let index = start; index < end; index++) {
      const word = (words[index] ?? 0) ^ NEWLINES;
      lanes = (lanes + (~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS) >>> 7)) | 0;
    }
    total += (lanes & 255) + ((lanes >>> 8) & 255) + ((lanes >>> 16) & 255) + (lanes >>> 24);
  }
  return total;
}

function countOneByOne(bytes: Uint8Array, start: number, end: number): number {
  let total = 0;
  for (let index = start; index < end; index++) if (bytes[index] === 10) total++;
  return total;
}
