// Decodes content as a caller sends it to exactly the bytes that are meant, or fails.

import { fail, type Result, succeed } from "../../../src/contract/result.ts";

export function contentBytes(content: string, encoding: "utf-8" | "base64"): Result<Buffer> {
  return encoding === "utf-8" ? textBytes(content) : base64Bytes(content);
}

function textBytes(content: string): Result<Buffer> {
  if (content.isWellFormed()) return succeed(Buffer.from(content));
  return invalid(
    "content contains half of a character (a lone surrogate), which UTF-8 cannot hold. Nothing was written. Send it whole, or the bytes as base64.",
  );
}

function base64Bytes(content: string): Result<Buffer> {
  const digits = content.replace(/\s+/g, "");
  const bytes = Buffer.from(digits, "base64");
  const bare = (text: string) => text.replace(/=+$/, "");
  if (bare(bytes.toString("base64")) === bare(digits)) return succeed(bytes);
  const at = digits.search(/[^A-Za-z0-9+/=]/);
  const where = at === -1 ? "It ends in the middle of a byte" : `Character ${at + 1} is ${JSON.stringify(digits[at])}`;
  return invalid(`content is not base64, and nothing was written. ${where}. Send standard base64 (A-Z a-z 0-9 + / =).`);
}

const invalid = (message: string): Result<never> => fail({ reason: "invalid_request", message });
