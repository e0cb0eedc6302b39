// Whether an image is complete, as far as its format marks its end. Clients end the session when they are sent a part of one.

export function isWholeImage(bytes: Buffer, mimeType: string): boolean {
  switch (mimeType) {
    case "image/png":
      return bytes.includes("IEND", 33, "latin1");
    case "image/jpeg":
      // The embedded preview, near the start, is a JPEG with an end of its own.
      return bytes.lastIndexOf(JPEG_END) > Math.max(1, bytes.lastIndexOf(JPEG_SCAN));
    case "image/gif":
      return lastByteOf(bytes) === GIF_END;
    case "image/webp":
      return bytes.readUInt32LE(4) + RIFF_HEAD <= bytes.length;
    default:
      return true;
  }
}

const JPEG_SCAN = Buffer.from([0xff, 0xda]);
const JPEG_END = Buffer.from([0xff, 0xd9]);
const GIF_END = 0x3b;
/** The bytes of a RIFF file that its length field does not count. */
const RIFF_HEAD = 8;

/** Ignores the zeros that some programs append. */
function lastByteOf(bytes: Buffer): number | undefined {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes[end - 1];
}
