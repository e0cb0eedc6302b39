// The text of a stream for an answer: whole, as head and tail, or from an offset on.

import { limits } from "../../../src/contract/limits.ts";
import { countNewlines } from "./count-newlines.ts";
import { fitEnd, fitStart, isInvalidUtf8 } from "./fit-text.ts";
import type { OutputStream } from "./output-stream.ts";
import { firstCharacterOffset, wholeCharactersLength } from "./utf8.ts";

export interface WholeText {
  text: string;
  /** The number of raw bytes omitted between head and tail. */
  omittedBytes: number;
  invalidUtf8: boolean;
  /** The raw offset at which the text ends. */
  next: number;
}

export async function wholeText(stream: OutputStream, chars: number): Promise<WholeText> {
  const { head, tail, gap, next } = (await readAll(stream, chars)) ?? (await readEnds(stream));
  if (gap === 0) {
    const all = Buffer.concat([head, tail]);
    const { text, bytes } = fitStart(all, chars);
    if (bytes.length === all.length) return { text, omittedBytes: 0, invalidUtf8: isInvalidUtf8(all), next };
    return headAndTail(stream, { head: all, tail: null, next }, chars);
  }
  return headAndTail(stream, { head, tail, next }, chars);
}

interface Ends {
  head: Buffer;
  tail: Buffer;
  /** The number of bytes between head and tail. */
  gap: number;
  next: number;
}

/** Every byte, from memory or else from the log; null when there may be more text than `chars`, or bytes are missing. */
async function readAll(stream: OutputStream, chars: number): Promise<Ends | null> {
  const { bytes } = stream.capture;
  const fitsInMemory = bytes <= limits.captureHeadBytes + limits.captureTailBytes;
  if (bytes > chars && !fitsInMemory) return null;
  const all = await stream.read(0, bytes);
  if (all === null && !fitsInMemory) return null;
  const whole = completeCharacters(stream, all ?? Buffer.alloc(0), bytes);
  return { head: whole, tail: Buffer.alloc(0), gap: 0, next: whole.length };
}

/** The first and the last bytes that are available, cut between characters. */
async function readEnds(stream: OutputStream): Promise<Ends> {
  const { bytes } = stream.capture;
  const headEnd = Math.min(bytes, limits.captureHeadBytes);
  const tailStart = Math.max(headEnd, bytes - limits.captureTailBytes);
  const [first, last] = await Promise.all([stream.read(0, headEnd), stream.read(tailStart, bytes)]);
  const head = first === null ? Buffer.alloc(0) : first.subarray(0, wholeCharactersLength(first));
  const tail =
    last === null ? Buffer.alloc(0) : completeCharacters(stream, last.subarray(firstCharacterOffset(last)), bytes);
  const next = last === null ? bytes : bytes - (last.length - firstCharacterOffset(last) - tail.length);
  return { head, tail, gap: next - head.length - tail.length, next };
}

/** Drops an incomplete character at the end of `part`, which is at the stream offset `end`, unless no more can follow. */
const completeCharacters = (stream: OutputStream, part: Buffer, end: number): Buffer =>
  stream.ended && end === stream.capture.bytes ? part : part.subarray(0, wholeCharactersLength(part));

/** When `tail` is null, the tail is taken from what remains of `head`. */
function headAndTail(
  stream: OutputStream,
  { head, tail, next }: { head: Buffer; tail: Buffer | null; next: number },
  chars: number,
): WholeText {
  const budget = Math.max(0, chars - OMISSION_MARKER_CHARS);
  const first = fitStart(head, Math.floor(budget / 2));
  const rest = tail ?? head.subarray(first.bytes.length);
  const last = fitEnd(rest, budget - first.text.length);
  const omittedBytes = next - first.bytes.length - last.bytes.length;
  const omittedLines = stream.capture.lines - linesOf(first.bytes) - linesOf(last.bytes);
  return {
    text:
      chars < OMISSION_MARKER_CHARS
        ? ""
        : [
            first.text,
            omissionMarker(stream, { bytes: omittedBytes, lines: omittedLines }, first.text),
            last.text,
          ].join(""),
    omittedBytes: chars < OMISSION_MARKER_CHARS ? next : omittedBytes,
    invalidUtf8: isInvalidUtf8(first.bytes) || isInvalidUtf8(last.bytes),
    next,
  };
}

const linesOf = (bytes: Buffer): number => countNewlines(bytes) + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0);

/** Reserved for the marker between head and tail. */
export const OMISSION_MARKER_CHARS = 240;

function omissionMarker(
  stream: OutputStream,
  { bytes, lines }: { bytes: number; lines: number },
  textBefore: string,
): string {
  const what = `${formatNumber(bytes)} bytes${lines > 0 ? `, ${formatNumber(lines)} lines` : ""} omitted`;
  const newline = textBefore === "" || textBefore.endsWith("\n") ? "" : "\n";
  return `${newline}[… ${what}${formatLogPath(stream)}]\n`;
}

/** As src/format writes numbers, which the runner cannot import. */
const formatNumber = (value: number): string => value.toLocaleString("en-US");

function formatLogPath({ log }: OutputStream): string {
  if (log.path === null) return "; no log could be kept";
  return log.capped ? `; the first ${log.written} bytes are in ${log.path}` : `; whole output in ${log.path}`;
}

export interface TextFrom extends WholeText {
  /** The number of raw bytes between the offset and the first one that is still kept. */
  lostBytes: number;
}

/** As much text from `offset` on as fits into `chars` characters. */
export async function textFrom(stream: OutputStream, offset: number, chars: number): Promise<TextFrom> {
  const { bytes } = stream.capture;
  const wanted = Math.min(offset, bytes);
  const window = await readWindow(stream, wanted, bytes);
  const part = completeCharacters(stream, window.bytes, window.start + window.bytes.length);
  const fitted = fitStart(part, chars);
  return {
    text: fitted.text,
    omittedBytes: 0,
    invalidUtf8: isInvalidUtf8(fitted.bytes),
    next: window.start + fitted.bytes.length,
    lostBytes: window.start - wanted,
  };
}

/** How many raw bytes are read for one answer. */
const WINDOW_BYTES = 256 * 1024;

/** Reads from the log if it has the bytes, else from the tail in memory. */
async function readWindow(
  stream: OutputStream,
  start: number,
  bytes: number,
): Promise<{ start: number; bytes: Buffer }> {
  const end = Math.min(bytes, start + WINDOW_BYTES);
  const all = await stream.read(start, end);
  if (all !== null) return { start, bytes: all };
  const logged = start < stream.log.written ? await stream.read(start, Math.min(end, stream.log.written)) : null;
  if (logged !== null) return { start, bytes: logged };
  const from = Math.max(start, stream.capture.tailStart);
  const kept = stream.capture.slice(from, Math.min(bytes, from + WINDOW_BYTES)) ?? Buffer.alloc(0);
  const skipped = from > start ? firstCharacterOffset(kept) : 0;
  return { start: from + skipped, bytes: kept.subarray(skipped) };
}
