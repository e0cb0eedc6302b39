// A line of a file as an answer shows it: whole, or where it is too long a window with the hit in its middle.

import { closeSync, openSync, readSync } from "node:fs";
import type { SearchLine } from "../../../src/contract/search.ts";
import type { Message } from "./message.ts";
import { STRING_MAX_BYTES } from "./squeeze.ts";

type LineMessage = Extract<Message, { type: "line" }>;

/** `file` is where the line can be read again when ripgrep's message had to be cut. */
export function showLine(message: LineMessage, options: { lineChars: number; file: string }): SearchLine {
  const { lines, line, hit } = message;
  const text = lines.text.replace(/\r?\n$/, "");
  if (text.length <= options.lineChars) return { line, hit, text, whole_bytes: null };
  const bytes = lines.bytes ?? Buffer.from(text, "utf8");
  const window = { from: 0, to: options.lineChars };
  if (hit) {
    const spare = Math.max(options.lineChars - (message.end - message.start), options.lineChars / 4);
    window.from = Math.max(0, Math.min(message.start - Math.floor(spare / 2), bytes.length - options.lineChars));
    window.to = window.from + options.lineChars;
  }
  if (lines.text.length < STRING_MAX_BYTES / 4 || window.to <= bytes.length)
    return { line, hit, text: cut(bytes, window), whole_bytes: bytes.length };
  return {
    line,
    hit,
    text: readAgain(message, options.file, window),
    whole_bytes: Math.max(bytes.length, message.end),
  };
}

/** The bytes of a window as text, without the halves of characters at its ends. */
function cut(bytes: Buffer, { from, to }: { from: number; to: number }): string {
  let first = from;
  let last = Math.min(to, bytes.length);
  while (first < last && first > 0 && isContinuation(bytes[first])) first += 1;
  while (last > first && last < bytes.length && isContinuation(bytes[last])) last -= 1;
  const text = bytes.toString("utf8", first, last);
  return `${first > 0 ? "…" : ""}${text}${last < bytes.length ? "…" : ""}`;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The window out of the file; the bare match where the file says otherwise (it is UTF-16, or has changed). */
function readAgain(message: LineMessage, file: string, window: { from: number; to: number }): string {
  const bytes = Buffer.alloc(window.to - window.from);
  const match = message.match.bytes ?? Buffer.from(message.match.text.slice(0, bytes.length), "utf8");
  const length = readAt(file, bytes, message.offset + window.from);
  const at = message.start - window.from;
  const matchBytes = match.subarray(0, Math.max(0, length - at));
  if (matchBytes.length === 0 || !bytes.subarray(at, at + matchBytes.length).equals(matchBytes)) {
    return `…${cut(match, { from: 0, to: bytes.length })}…`;
  }
  let first = 0;
  while (first < 4 && isContinuation(bytes[first])) first += 1;
  return `…${bytes
    .toString("utf8", first, length)
    .replace(/\n.*$/s, "")
    .replace(/\uFFFD$/, "")}…`;
}

function readAt(file: string, into: Buffer, position: number): number {
  try {
    const descriptor = openSync(file, "r");
    try {
      return readSync(descriptor, into, 0, into.length, position);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return 0;
  }
}
