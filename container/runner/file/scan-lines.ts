// Takes a window of lines out of a stream of UTF-8 in constant memory. Lines before it are counted; lines after it are counted
// when the total is wanted, and otherwise not read.

import type { LineEndings } from "../../../src/contract/file.ts";
import { limits } from "../../../src/contract/limits.ts";
import { countNewlines } from "../output/count-newlines.ts";
import { type CharRange, cutLine, type KeptLine, LineCut } from "./line-cut.ts";

export interface WindowRequest {
  /** How many lines come before the window. */
  skip: number;
  limit: number;
  maxChars: number;
  /** The characters to take of each line. */
  range: CharRange;
  /** Read to the end to count all lines. */
  count: boolean;
}

export interface ScannedWindow {
  lines: string[];
  cut: { index: number; chars: number }[];
  /** Null when the stream was not read to its end. */
  total: number | null;
  reachedEnd: boolean;
  finalNewline: boolean | null;
  endings: LineEndings;
  invalidUtf8: boolean;
}

export async function scanLines(source: AsyncIterable<Buffer>, request: WindowRequest): Promise<ScannedWindow> {
  const scan = new LineScan(request);
  for await (const chunk of source) {
    scan.add(chunk);
    if (scan.isDone) break;
  }
  return scan.end();
}

const NEWLINE = 10;
const RETURN = 13;

class LineScan {
  readonly #request: WindowRequest;
  readonly #lines: string[] = [];
  readonly #cut: ScannedWindow["cut"] = [];
  readonly #endings = new Set<LineEndings>();
  /** A line that began in an earlier chunk. */
  #open: LineCut | null = null;
  /** A carriage return at the end of that chunk, which belongs to the line or to its line ending. */
  #heldReturn = false;
  #chars = 0;
  #newlines = 0;
  #lastByte: number | null = null;
  /** No more lines are taken. */
  #isFull = false;
  /** There is more after the window. */
  #hasMore = false;
  #invalidUtf8 = false;

  constructor(request: WindowRequest) {
    this.#request = request;
  }

  get isDone(): boolean {
    return this.#hasMore && !this.#request.count;
  }

  add(chunk: Buffer): void {
    let rest = this.#skipLines(chunk);
    while (!this.#isFull && rest.length > 0) rest = this.#takeLine(rest);
    if (rest.length > 0) {
      this.#hasMore = true;
      this.#newlines += countNewlines(rest);
    }
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
  }

  end(): ScannedWindow {
    const whole = !this.isDone;
    if (this.#open !== null) this.#endOpenLine("none");
    const unfinished = this.#lastByte !== null && this.#lastByte !== NEWLINE;
    return {
      lines: this.#lines,
      cut: this.#cut,
      total: whole ? this.#newlines + (unfinished ? 1 : 0) : null,
      reachedEnd: !this.#hasMore,
      finalNewline: whole ? !unfinished : null,
      endings: this.#endings.size > 1 ? "mixed" : ([...this.#endings][0] ?? "none"),
      invalidUtf8: this.#invalidUtf8,
    };
  }

  /** Returns the part of the chunk that is not before the window. */
  #skipLines(chunk: Buffer): Buffer {
    const missing = this.#request.skip - this.#newlines;
    if (missing <= 0) return chunk;
    const inPiece = countNewlines(chunk);
    this.#newlines += Math.min(missing, inPiece);
    if (inPiece < missing) return chunk.subarray(chunk.length);
    let position = 0;
    for (let passed = 0; passed < missing; passed++) position = chunk.indexOf(NEWLINE, position) + 1;
    return chunk.subarray(position);
  }

  /** Returns what comes after the line. */
  #takeLine(rest: Buffer): Buffer {
    const end = rest.indexOf(NEWLINE);
    if (end === -1) {
      this.#keepOpen(rest);
      return rest.subarray(rest.length);
    }
    this.#newlines++;
    if (this.#open === null) {
      const ending = end > 0 && rest[end - 1] === RETURN ? "crlf" : "lf";
      this.#finish(cutLine(rest.subarray(0, ending === "crlf" ? end - 1 : end), this.#request.range), ending);
    } else {
      if (end > 0) this.#keepOpen(rest.subarray(0, end));
      this.#endOpenLine("lf");
    }
    return rest.subarray(end + 1);
  }

  #keepOpen(bytes: Buffer): void {
    this.#open ??= new LineCut(this.#request.range);
    if (this.#heldReturn) this.#open.add(Buffer.of(RETURN));
    this.#heldReturn = bytes.at(-1) === RETURN;
    this.#open.add(this.#heldReturn ? bytes.subarray(0, -1) : bytes);
  }

  #endOpenLine(by: "lf" | "none"): void {
    const open = this.#open ?? new LineCut(this.#request.range);
    if (this.#heldReturn && by === "none") open.add(Buffer.of(RETURN));
    const ending = this.#heldReturn && by === "lf" ? "crlf" : by;
    this.#open = null;
    this.#heldReturn = false;
    this.#finish(open.end(), ending);
  }

  /** A line that does not fit belongs to the next window, unless it is the first, so that every window has a line. */
  #finish({ text, chars, invalidUtf8 }: KeptLine, ending: "lf" | "crlf" | "none"): void {
    const { maxChars, limit, range } = this.#request;
    const cost = text.length + limits.fileLineFrameChars;
    if (this.#lines.length > 0 && this.#chars + cost > maxChars) {
      this.#isFull = true;
      this.#hasMore = true;
      return;
    }
    if (range.skip + text.length < chars) this.#cut.push({ index: this.#lines.length, chars });
    this.#lines.push(text);
    this.#chars += cost;
    this.#isFull = this.#lines.length === limit || this.#chars >= maxChars;
    this.#invalidUtf8 ||= invalidUtf8;
    if (ending !== "none") this.#endings.add(ending);
  }
}
