// A line of a file as an answer shows it: whole, or, when it is too long, a window with the hit in the middle.

import { closeSync, openSync, readSync } from "node:fs";
import type { SearchLine } from "../../../src/contract/search.ts";
import { STRING_MAX_BYTES } from "./json-truncator.ts";
import type { Message } from "./message.ts";

type LineMessage = Extract<Message, { type: "line" }>;

/** The line is read again from `file` when ripgrep's message was truncated. */
export function showLine(message: LineMessage, options: { lineChars: number; file: string }): SearchLine {
  const { lines, line, hit } = message;
  const text = lines.text.replace(/\r?\n$/, "");
  if (text.length <= options.lineChars) return { line, hit, text, whole_bytes: null };
  const bytes = lines.bytes ?? Buffer.from(text, "utf8");
  const from = hit ? windowStart(message, options.lineChars) : 0;
  if (message.end <= bytes.length) {
    const latest = Math.max(0, bytes.length - options.lineChars);
    return { line, hit, text: cut(bytes, Math.min(from, latest), options.lineChars), whole_bytes: bytes.length };
  }
  const whole = Math.max(STRING_MAX_BYTES, message.end);
  return { line, hit, text: readAgain(message, { ...options, from }), whole_bytes: whole };
}

/** Puts the hit in the middle, or the start of a long hit at a quarter of the window. */
function windowStart({ start, end }: LineMessage, size: number): number {
  const beside = Math.max(size - (end - start), size / 2);
  return Math.max(0, start - Math.floor(beside / 2));
}

/** A part of the bytes as text, without incomplete characters at its ends. */
function cut(bytes: Buffer, from: number, size: number): string {
  let first = from;
  let last = Math.min(from + size, bytes.length);
  while (first < last && first > 0 && isContinuation(bytes[first])) first += 1;
  while (last > first && last < bytes.length && isContinuation(bytes[last])) last -= 1;
  const text = bytes.toString("utf8", first, last);
  return `${first > 0 ? "…" : ""}${text}${last < bytes.length ? "…" : ""}`;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Reads the window from the file. Falls back to the bare match when the file has other bytes: it is UTF-16, or has changed. */
function readAgain(message: LineMessage, options: { lineChars: number; file: string; from: number }): string {
  const bytes = Buffer.alloc(options.lineChars);
  const match = message.match.bytes ?? Buffer.from(message.match.text.slice(0, bytes.length), "utf8");
  const length = readAt(options.file, bytes, message.offset + options.from);
  const at = message.start - options.from;
  const inWindow = match.subarray(0, Math.max(0, length - at));
  if (inWindow.length === 0 || !bytes.subarray(at, at + inWindow.length).equals(inWindow)) {
    return `…${cut(match, 0, bytes.length)}…`;
  }
  const newline = bytes.subarray(0, length).indexOf(NEWLINE, at + inWindow.length);
  const read = bytes.subarray(0, newline === -1 ? length : newline);
  let first = 0;
  while (first < 4 && isContinuation(read[first])) first += 1;
  return `…${read.toString("utf8", first).replace(/\uFFFD$/, "")}${newline === -1 ? "…" : ""}`;
}

const NEWLINE = 0x0a;

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
