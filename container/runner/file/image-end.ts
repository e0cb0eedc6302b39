// Whether an image is there to its end, as far as its format marks that: a client that is sent a part of one ends the session.

export function isWholeImage(bytes: Buffer, mimeType: string): boolean {
  switch (mimeType) {
    case "image/png":
      return bytes.includes("IEND", 33, "latin1");
    case "image/jpeg":
      // Its preview, far ahead, is an image with an end too.
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
/** Bytes before what the length of a RIFF file counts. */
const RIFF_HEAD = 8;

/** Before whatever zeros some programs put after it. */
function lastByteOf(bytes: Buffer): number | undefined {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes[end - 1];
}
