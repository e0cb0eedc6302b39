// The text of a stream for an answer: whole, as head and tail, or on from an offset.

import { limits } from "../../../src/contract/limits.ts";
import { countNewlines } from "./count-newlines.ts";
import { fitEnd, fitStart, isInvalidUtf8 } from "./fit-text.ts";
import type { OutputStream } from "./output-stream.ts";
import { firstCharacterOffset, wholeCharactersLength } from "./utf8.ts";

export interface WholeText {
  text: string;
  /** Raw bytes left out between head and tail. */
  omittedBytes: number;
  invalidUtf8: boolean;
  /** The raw offset after the text. */
  next: number;
}

export async function wholeText(stream: OutputStream, chars: number): Promise<WholeText> {
  const { head, tail, gap, next } = await ends(stream);
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
  /** Follows the head without a gap where gap is 0. */
  tail: Buffer;
  gap: number;
  next: number;
}

/** The first and the last bytes that can be had, cut between characters. */
async function ends(stream: OutputStream): Promise<Ends> {
  const { bytes } = stream.capture;
  const headEnd = Math.min(bytes, limits.captureHeadBytes);
  const tailStart = Math.max(headEnd, bytes - limits.captureTailBytes);
  if (tailStart === headEnd) {
    const all = (await stream.read(0, bytes)) ?? Buffer.alloc(0);
    const whole = finished(stream, all, bytes);
    return { head: whole, tail: Buffer.alloc(0), gap: 0, next: whole.length };
  }
  const [first, last] = await Promise.all([stream.read(0, headEnd), stream.read(tailStart, bytes)]);
  const head = first === null ? Buffer.alloc(0) : first.subarray(0, wholeCharactersLength(first));
  const tail = last === null ? Buffer.alloc(0) : finished(stream, last.subarray(firstCharacterOffset(last)), bytes);
  const next = last === null ? bytes : bytes - (last.length - firstCharacterOffset(last) - tail.length);
  return { head, tail, gap: next - head.length - tail.length, next };
}

/** Without an unfinished character at its end, the stream offset `end`, unless nothing more can follow. */
const finished = (stream: OutputStream, part: Buffer, end: number): Buffer =>
  stream.ended && end === stream.capture.bytes ? part : part.subarray(0, wholeCharactersLength(part));

/** A tail of null is taken from what the head leaves of the same bytes. */
function headAndTail(
  stream: OutputStream,
  { head, tail, next }: { head: Buffer; tail: Buffer | null; next: number },
  chars: number,
): WholeText {
  const budget = Math.max(0, chars - MARK_CHARS);
  const first = fitStart(head, Math.floor(budget / 2));
  const rest = tail ?? head.subarray(first.bytes.length);
  const last = fitEnd(rest, budget - first.text.length);
  const omittedBytes = next - first.bytes.length - last.bytes.length;
  const omittedLines = stream.capture.lines - linesOf(first.bytes) - linesOf(last.bytes);
  return {
    text:
      chars < MARK_CHARS ? "" : [first.text, mark(stream, omittedBytes, omittedLines, first.text), last.text].join(""),
    omittedBytes: chars < MARK_CHARS ? next : omittedBytes,
    invalidUtf8: isInvalidUtf8(first.bytes) || isInvalidUtf8(last.bytes),
    next,
  };
}

const linesOf = (bytes: Buffer): number => countNewlines(bytes) + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0);

/** Room for the mark between head and tail; the blanks that a cut line may lose need no more, so that bytes are left out. */
export const MARK_CHARS = 240;

function mark(stream: OutputStream, bytes: number, lines: number, before: string): string {
  const what = `${group(bytes)} bytes${lines > 0 ? `, ${group(lines)} lines` : ""} omitted`;
  const newline = before === "" || before.endsWith("\n") ? "" : "\n";
  return `${newline}[… ${what}${whereabouts(stream)}]\n`;
}

/** As src/format writes numbers and what an answer omits. */
const group = (value: number): string => value.toLocaleString("en-US");

function whereabouts({ log }: OutputStream): string {
  if (log.path === null) return "; no log could be kept";
  return log.capped ? `; the first ${log.written} bytes are in ${log.path}` : `; whole output in ${log.path}`;
}

export interface TextFrom extends WholeText {
  /** Raw bytes between the offset and the first one still kept. */
  lostBytes: number;
}

/** The oldest text from `offset` on that fits `chars`. */
export async function textFrom(stream: OutputStream, offset: number, chars: number): Promise<TextFrom> {
  const { bytes } = stream.capture;
  const wanted = Math.min(offset, bytes);
  const window = await readWindow(stream, wanted, bytes);
  const part = finished(stream, window.bytes, window.start + window.bytes.length);
  const fitted = fitStart(part, chars);
  return {
    text: fitted.text,
    omittedBytes: 0,
    invalidUtf8: isInvalidUtf8(fitted.bytes),
    next: window.start + fitted.bytes.length,
    lostBytes: window.start - wanted,
  };
}

/** Raw bytes looked at for one answer. */
const WINDOW_BYTES = 256 * 1024;

/** From the log where it has them, else from the memory's tail. */
async function readWindow(
  stream: OutputStream,
  start: number,
  bytes: number,
): Promise<{ start: number; bytes: Buffer }> {
  const end = Math.min(bytes, start + WINDOW_BYTES);
  const asked = await stream.read(start, end);
  if (asked !== null) return { start, bytes: asked };
  const logged = start < stream.log.written ? await stream.read(start, Math.min(end, stream.log.written)) : null;
  if (logged !== null) return { start, bytes: logged };
  const from = Math.max(start, stream.capture.tailStart);
  const kept = stream.capture.slice(from, Math.min(bytes, from + WINDOW_BYTES)) ?? Buffer.alloc(0);
  const skipped = from > start ? firstCharacterOffset(kept) : 0;
  return { start: from + skipped, bytes: kept.subarray(skipped) };
}
