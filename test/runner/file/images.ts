// The smallest images of each format that state a size: headers as in their specifications, and the marker of the end.

const be32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const be16 = (value: number): number[] => [value >>> 8, value & 255];
const le16 = (value: number): number[] => [value & 255, value >>> 8];
const le24 = (value: number): number[] => [value & 255, (value >>> 8) & 255, value >>> 16];
const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];

export const png = (width: number, height: number): Buffer =>
  Buffer.from([
    ...ascii("\x89PNG\r\n\x1a\n"),
    ...be32(13),
    ...ascii("IHDR"),
    ...be32(width),
    ...be32(height),
    8,
    2,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    ...be32(0),
    ...ascii("IEND\xaeB`\x82"),
  ]);

export const gif = (width: number, height: number): Buffer =>
  Buffer.from([...ascii("GIF89a"), ...le16(width), ...le16(height), 0, 0, 0, 0x3b]);

/** A JPEG with a large metadata segment, as cameras write it, before the size. */
export const jpeg = (width: number, height: number): Buffer => {
  const exif = Array.from({ length: 60_000 }, (_, index) => index % 251);
  const app1 = [0xff, 0xe1, ...be16(exif.length + 2), ...exif];
  const frame = [0xff, 0xc2, ...be16(11), 8, ...be16(height), ...be16(width), 1, 0, 0, 0];
  return Buffer.from([0xff, 0xd8, ...app1, 0xff, ...frame, 0xff, 0xd9]);
};

export const webpLossy = (width: number, height: number): Buffer =>
  Buffer.from([
    ...ascii("RIFF"),
    0,
    0,
    0,
    0,
    ...ascii("WEBPVP8 "),
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0x9d,
    0x01,
    0x2a,
    ...le16(width),
    ...le16(height),
  ]);

export const webpExtended = (width: number, height: number): Buffer =>
  Buffer.from([
    ...ascii("RIFF"),
    0,
    0,
    0,
    0,
    ...ascii("WEBPVP8X"),
    10,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    ...le24(width - 1),
    ...le24(height - 1),
  ]);

export const webpLossless = (width: number, height: number): Buffer => {
  const bits = Buffer.alloc(4);
  bits.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0);
  return Buffer.from([...ascii("RIFF"), 0, 0, 0, 0, ...ascii("WEBPVP8L"), 0, 0, 0, 0, 0x2f, ...bits, 0, 0, 0, 0, 0]);
};
