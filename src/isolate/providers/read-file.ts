// sandbox.readFile: the whole text of a file, or its bytes.

import * as z from "zod";
import type { FileBytesResult } from "../../contract/file-bytes.ts";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { resolveFileBytes } from "../../operations/file-bytes.ts";
import { defineMethod } from "./provider.ts";

export const readFile = defineMethod({
  scope: "sandbox:read",
  summary: "The text of a file; with bytes, its bytes as they are",
  input: z.strictObject({
    path: z.string().min(1),
    encoding: z.enum(["utf-8", "utf-16"]).optional().describe('of the text; default "utf-8"'),
    bytes: z.boolean().optional().describe("return a Uint8Array"),
    offset: z.number().int().optional().describe("first byte, with bytes; negative counts from the end"),
    length: z.number().int().min(1).max(limits.runCallMaxBytes).optional().describe("number of bytes"),
  }),
  positional: ["path"],
  output: "string | Uint8Array",
  async run({ path, encoding, bytes, offset, length }, run) {
    const request = resolveFileBytes({ path, offset, length }, { maxBytes: limits.runCallMaxBytes });
    const result = await run.call("file-bytes", request);
    if (!result.ok) return result;
    const file = result.value;
    if (length === undefined && file.offset + file.length < file.size) return tooLarge(file);
    const data = Uint8Array.fromBase64(file.data);
    return bytes === true ? succeed(data) : decode(data, file, encoding ?? "utf-8");
  },
});

const tooLarge = ({ path, size }: FileBytesResult): Result<never> =>
  fail({
    reason: "too_large",
    subject: `"${path}"`,
    actual: size,
    limit: limits.runCallMaxBytes,
    unit: "bytes at once",
  });

/** A byte order mark stays in the text, so that writing the text back writes the same file. */
function decode(data: Uint8Array, { path, what }: FileBytesResult, encoding: "utf-8" | "utf-16"): Result<string> {
  const order = byteOrder(data);
  const subject = `"${path}"`;
  // writeFile would write it as UTF-8.
  if (encoding === "utf-8" && order !== null) return fail({ reason: "refused", subject, message: isUtf16 });
  try {
    const label = encoding === "utf-8" ? encoding : (order ?? "utf-16le");
    return succeed(new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(data));
  } catch {
    const message = `it is not text in ${encoding.toUpperCase()} (${what}). Read it with {path, bytes: true}`;
    return fail({ reason: "refused", subject, message });
  }
}

const isUtf16 =
  'it is text in UTF-16, and writeFile would write it as UTF-8. Change it with editFile, which keeps UTF-16, or read it with {path, encoding: "utf-16"}';

function byteOrder([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}
