// The width and height of an image, from the headers of the four formats that clients show.

export interface ImageSize {
  width: number;
  height: number;
}

/** How much of a file has to be read: in a JPEG the size follows the metadata that the camera wrote. */
export const IMAGE_HEAD_BYTES = 1024 * 1024;

/** Null when the headers give no size. */
export function imageSize(head: Buffer, mimeType: string): ImageSize | null {
  const size = read(head, mimeType);
  return size === null || size.width === 0 || size.height === 0 ? null : size;
}

function read(head: Buffer, mimeType: string): ImageSize | null {
  switch (mimeType) {
    case "image/png":
      return head.length < 24 ? null : { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
    case "image/gif":
      return head.length < 10 ? null : { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
    case "image/webp":
      return webpSize(head);
    case "image/jpeg":
      return jpegSize(head);
    default:
      return null;
  }
}

function webpSize(head: Buffer): ImageSize | null {
  if (head.length < 30) return null;
  switch (head.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

/** Goes segment by segment to the frame header: SOF0 to SOF15, except for three markers in between that mean something else. */
function jpegSize(head: Buffer): ImageSize | null {
  let position = 2;
  while (position + 9 <= head.length) {
    if (head[position] !== 0xff) return null;
    const marker = head[position + 1] ?? 0;
    if (marker === 0xff) {
      position++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: head.readUInt16BE(position + 7), height: head.readUInt16BE(position + 5) };
    const alone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    position += alone ? 2 : 2 + head.readUInt16BE(position + 2);
  }
  return null;
}
