// Decodes the content of a file to UTF-8 for editing, without the byte order mark, and encodes it again. Bytes that are not text
// are preserved.

import type { LineEndings, TextEncoding } from "../../../src/contract/file.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { asText, sniff } from "./sniff.ts";
import { decodeUtf16, encodeUtf16 } from "./utf16.ts";

export interface TextBody {
  bytes: Buffer;
  encoding: TextEncoding;
  bom: boolean;
  /** False for content that has no lines to show. */
  isText: boolean;
  /** Encodes an edited body as the content of the file. */
  restore(bytes: Buffer): Buffer;
}

export function textBody(path: string, content: Buffer): Result<TextBody> {
  const head = content.subarray(0, limits.fileSniffBytes);
  const { encoding, bomLength } = asText(head);
  const mark = content.subarray(0, bomLength);
  const rest = content.subarray(bomLength);
  const shared = { encoding, bom: bomLength > 0, isText: sniff(head).type === "text" };
  if (encoding === "utf-8") {
    return succeed({
      ...shared,
      bytes: rest,
      restore: (bytes) => (bomLength > 0 ? Buffer.concat([mark, bytes]) : bytes),
    });
  }
  const decoded = decodeUtf16(rest, encoding);
  if (decoded === null) {
    const message = `it begins as ${encoding.toUpperCase()} text, but not all of it is valid ${encoding.toUpperCase()}. Change its bytes with a program through exec.`;
    return fail({ reason: "refused", subject: `"${path}"`, message });
  }
  return succeed({
    ...shared,
    bytes: decoded,
    restore: (bytes) => Buffer.concat([mark, encodeUtf16(bytes.toString("utf8"), encoding)]),
  });
}

export function endingsOf(bytes: Buffer): LineEndings {
  let crlf = false;
  let lf = false;
  for (let at = bytes.indexOf(10); at !== -1 && !(crlf && lf); at = bytes.indexOf(10, at + 1)) {
    if (at > 0 && bytes[at - 1] === 13) crlf = true;
    else lf = true;
  }
  return crlf ? (lf ? "mixed" : "crlf") : lf ? "lf" : "none";
}
