// Detects the format of a file from its first bytes: text with its encoding, or another format.

import type { TextEncoding } from "../../../src/contract/file.ts";

export type Sniffed =
  | { type: "text"; encoding: TextEncoding; bomLength: number }
  | { type: "image"; mimeType: string }
  | { type: "pdf" }
  | { type: "binary"; what: string };

/** `head` is the start of the file, at most `limits.fileSniffBytes`; the last character may be incomplete. */
export function sniff(head: Buffer): Sniffed {
  const bom = byteOrderMark(head);
  if (bom !== null) return { type: "text", ...bom };
  if (starts(head, "%PDF-")) return { type: "pdf" };
  const text = isText(head);
  const marks = ({ magic, at }: Mark) => starts(head, magic, at) && !(text && PRINTABLE.test(magic));
  const image = IMAGES.find(marks);
  if (image !== undefined) return { type: "image", mimeType: image.mimeType };
  const format = FORMATS.find(marks);
  if (format !== undefined) return { type: "binary", what: format.what };
  return text ? asText(head) : { type: "binary", what: "binary data" };
}

interface Mark {
  magic: string;
  at?: number;
}

/** Text may also begin with such characters, so that they alone do not mark a format. */
const PRINTABLE = /^[ -~]+$/;

/** Treats the file as text because the caller says so, in the encoding that its first bytes indicate. */
export const asText = (head: Buffer): Sniffed & { type: "text" } => ({
  type: "text",
  ...(byteOrderMark(head) ?? { encoding: "utf-8", bomLength: 0 }),
});

export function describe(sniffed: Sniffed): string {
  switch (sniffed.type) {
    case "text":
      return sniffed.encoding === "utf-8" ? "text" : `${sniffed.encoding.toUpperCase()} text`;
    case "image":
      return `${sniffed.mimeType.slice("image/".length).toUpperCase()} image`;
    case "pdf":
      return "PDF document";
    case "binary":
      return sniffed.what;
  }
}

function byteOrderMark(head: Buffer): { encoding: TextEncoding; bomLength: number } | null {
  if (starts(head, "\xef\xbb\xbf")) return { encoding: "utf-8", bomLength: 3 };
  // Followed by two zero bytes, these would mark UTF-32, which is not supported.
  if (starts(head, "\xff\xfe") && !starts(head, "\xff\xfe\0\0")) return { encoding: "utf-16le", bomLength: 2 };
  if (starts(head, "\xfe\xff")) return { encoding: "utf-16be", bomLength: 2 };
  return null;
}

/** Text has no NUL and few control characters. Valid UTF-8 may have more of them. */
function isText(head: Buffer): boolean {
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return false;
    if ((byte < 32 && !TEXT_CONTROLS.has(byte)) || byte === 127) controls++;
  }
  return controls <= head.length * (isUtf8(head) ? 0.3 : 0.02);
}

/** Backspace, tab, newline, vertical tab, form feed, carriage return, escape. */
const TEXT_CONTROLS = new Set([8, 9, 10, 11, 12, 13, 27]);

/** Ignores an incomplete last character, as only the start of the file is looked at. */
function isUtf8(head: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

const starts = (head: Buffer, magic: string, at = 0): boolean =>
  head.length >= at + magic.length && head.toString("latin1", at, at + magic.length) === magic;

const IMAGES: (Mark & { mimeType: string })[] = [
  { mimeType: "image/png", magic: "\x89PNG\r\n\x1a\n" },
  { mimeType: "image/jpeg", magic: "\xff\xd8\xff" },
  { mimeType: "image/gif", magic: "GIF87a" },
  { mimeType: "image/gif", magic: "GIF89a" },
  // After "RIFF" and a length.
  { mimeType: "image/webp", magic: "WEBPVP8", at: 8 },
];

const FORMATS: (Mark & { what: string })[] = [
  { magic: "\x7fELF", what: "ELF binary" },
  { magic: "\xca\xfe\xba\xbe", what: "Java class or Mach-O binary" },
  { magic: "\xcf\xfa\xed\xfe", what: "Mach-O binary" },
  { magic: "MZ\x90\0", what: "Windows executable" },
  { magic: "\0asm", what: "WebAssembly module" },
  { magic: "PK\x03\x04", what: "ZIP archive (also .jar, .docx, .xlsx, .whl)" },
  { magic: "PK\x05\x06", what: "empty ZIP archive" },
  { magic: "\x1f\x8b", what: "gzip data" },
  { magic: "BZh", what: "bzip2 data" },
  { magic: "\xfd7zXZ\0", what: "xz data" },
  { magic: "\x28\xb5\x2f\xfd", what: "Zstandard data" },
  { magic: "7z\xbc\xaf\x27\x1c", what: "7-Zip archive" },
  { magic: "ustar", what: "tar archive", at: 257 },
  { magic: "SQLite format 3\0", what: "SQLite database" },
  { magic: "\0\0\x01\0", what: "ICO image" },
  { magic: "BM", what: "BMP image" },
  { magic: "II*\0", what: "TIFF image" },
  { magic: "MM\0*", what: "TIFF image" },
  { magic: "ftypavif", what: "AVIF image", at: 4 },
  { magic: "ftyp", what: "MP4 or HEIF media", at: 4 },
  { magic: "OggS", what: "Ogg media" },
  { magic: "ID3", what: "MP3 audio" },
  { magic: "fLaC", what: "FLAC audio" },
  { magic: "RIFF", what: "RIFF media (WAV, AVI)" },
  { magic: "\x1aE\xdf\xa3", what: "Matroska or WebM video" },
  { magic: "wOF2", what: "WOFF2 font" },
  { magic: "wOFF", what: "WOFF font" },
  { magic: "\0\x01\0\0\0", what: "TrueType font" },
  { magic: "OTTO", what: "OpenType font" },
  { magic: "\xff\xfe\0\0", what: "UTF-32 text" },
];
