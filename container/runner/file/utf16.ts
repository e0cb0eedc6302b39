// UTF-16 as UTF-8 and back, so that everything else deals with one encoding.

import type { TextEncoding } from "../../../src/contract/file.ts";

/** The pieces of a file as UTF-8; those of a file that is UTF-8 pass as they are. */
export async function* toUtf8(source: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<Buffer> {
  if (encoding === "utf-8") {
    yield* source;
    return;
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  for await (const piece of source) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** Null where the bytes are not good UTF-16, so that nothing would come back as it was. */
export function decodeUtf16(bytes: Buffer, encoding: TextEncoding): Buffer | null {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  return encodeUtf16(text, encoding).equals(bytes) ? Buffer.from(text) : null;
}

export function encodeUtf16(text: string, encoding: TextEncoding): Buffer {
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}
