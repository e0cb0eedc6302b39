// Reads the lines that a request asks for out of an open text file.

import type { FileHandle } from "node:fs/promises";
import type { TextEncoding } from "../../../src/contract/file.ts";
import type { TextWindow } from "../../../src/contract/file-read.ts";
import { limits } from "../../../src/contract/limits.ts";
import { BytesHash, hashChunks } from "./file-hash.ts";
import { startOfLast } from "./from-end.ts";
import { limitBytes, readChunks } from "./read-chunks.ts";
import { type ScannedWindow, scanLines, type WindowRequest } from "./scan-lines.ts";
import { toUtf8 } from "./utf16.ts";

export interface TextFile {
  handle: FileHandle;
  size: number;
  encoding: TextEncoding;
  bomLength: number;
}

export interface Wanted {
  offset: number;
  limit: number;
  column: number;
  max_chars: number;
}

export async function readWindow(file: TextFile, wanted: Wanted): Promise<{ text: TextWindow; sha256: string | null }> {
  // UTF-16 can be read only from the start.
  const count = file.size <= limits.fileCountMaxBytes || file.encoding !== "utf-8";
  if (wanted.offset < 0 && !count) return { text: await fromEnd(file, wanted), sha256: null };
  const skip = wanted.offset > 0 ? wanted.offset - 1 : await linesBefore(file, wanted.offset);
  const hash = file.size <= limits.fileHashMaxBytes ? new BytesHash(limits.fileHashMaxBytes) : null;
  const end = { most: mostOf(file), cut: false };
  const bytes = limitBytes(readChunks(file.handle, 0), end);
  const source = withoutStart(hash === null ? bytes : hashChunks(bytes, hash), file.bomLength);
  const scanned = await scanLines(toUtf8(source, file.encoding), windowRequest(wanted, skip, count));
  if (!end.cut) return { text: report(file, scanned, skip + 1), sha256: hash?.digest() ?? null };
  const open = { ...scanned, total: null, reachedEnd: false, finalNewline: null };
  return { text: report(file, open, skip + 1), sha256: null };
}

/** Files in /proc and /sys report that they are empty, and may have no end. */
const mostOf = ({ size }: TextFile): number => (size === 0 ? limits.fileHashMaxBytes : Number.POSITIVE_INFINITY);

/** The same for the output of a program. */
export async function windowOf(
  source: AsyncIterable<Buffer>,
  wanted: Wanted & { offset: number },
): Promise<TextWindow> {
  const skip = Math.max(0, wanted.offset - 1);
  const scanned = await scanLines(source, windowRequest(wanted, skip, true));
  return report({ encoding: "utf-8", bomLength: 0 }, scanned, skip + 1);
}

async function fromEnd(file: TextFile, wanted: Wanted): Promise<TextWindow> {
  const { start, lines } = await startOfLast(file.handle, file.size, -wanted.offset);
  const source = withoutStart(readChunks(file.handle, start), start === 0 ? file.bomLength : 0);
  const scanned = await scanLines(source, windowRequest(wanted, 0, false));
  return report(file, { ...scanned, total: null }, -lines);
}

async function linesBefore(file: TextFile, offset: number): Promise<number> {
  const bytes = limitBytes(readChunks(file.handle, 0), { most: mostOf(file), cut: false });
  const source = toUtf8(withoutStart(bytes, file.bomLength), file.encoding);
  const { total } = await scanLines(source, {
    skip: Number.POSITIVE_INFINITY,
    limit: 1,
    maxChars: 1,
    range: { skip: 0, length: 0 },
    count: true,
  });
  return Math.max(0, (total ?? 0) + offset);
}

/** The fewer lines are wanted, the longer each may be. */
const windowRequest = ({ limit, max_chars, column }: Wanted, skip: number, count: boolean): WindowRequest => ({
  skip,
  limit,
  maxChars: max_chars,
  range: {
    skip: column - 1,
    length: Math.min(
      max_chars,
      Math.max(limits.fileLineChars, Math.floor(max_chars / limit) - limits.fileLineFrameChars),
    ),
  },
  count,
});

const report = (file: Pick<TextFile, "encoding" | "bomLength">, scanned: ScannedWindow, first: number): TextWindow => ({
  encoding: file.encoding,
  bom: file.bomLength > 0,
  lines: scanned.lines,
  cut: scanned.cut,
  first_line: first,
  total_lines: scanned.total,
  reached_end: scanned.reachedEnd,
  final_newline: scanned.finalNewline,
  endings: scanned.endings,
  invalid_utf8: scanned.invalidUtf8,
});

async function* withoutStart(source: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  let remaining = length;
  for await (const chunk of source) {
    const dropped = Math.min(remaining, chunk.length);
    remaining -= dropped;
    yield chunk.subarray(dropped);
  }
}
