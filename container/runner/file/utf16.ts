// Converts UTF-16 to UTF-8 and back, so that all other code handles one encoding.

import type { TextEncoding } from "../../../src/contract/file.ts";

/** Converts the chunks of a file to UTF-8. Those of a UTF-8 file pass unchanged. */
export async function* toUtf8(source: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<Buffer> {
  if (encoding === "utf-8") {
    yield* source;
    return;
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  for await (const chunk of source) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** Null when the bytes are not valid UTF-16, so that encoding the text again would change them. */
export function decodeUtf16(bytes: Buffer, encoding: TextEncoding): Buffer | null {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  return encodeUtf16(text, encoding).equals(bytes) ? Buffer.from(text) : null;
}

export function encodeUtf16(text: string, encoding: TextEncoding): Buffer {
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}
