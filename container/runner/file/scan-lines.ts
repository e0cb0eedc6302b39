// A window of lines out of a stream of UTF-8, in constant memory: what comes before is counted, what comes after is counted
// where the total is wanted, and otherwise not read.

import type { LineEndings } from "../../../src/contract/file.ts";
import { limits } from "../../../src/contract/limits.ts";
import { countNewlines } from "../output/count-newlines.ts";
import { cutLine, type KeptLine, LineCut, type Stretch } from "./line-cut.ts";

export interface WindowRequest {
  /** Lines before the window. */
  skip: number;
  limit: number;
  maxChars: number;
  stretch: Stretch;
  /** Read to the end for the total. */
  count: boolean;
}

export interface ScannedWindow {
  lines: string[];
  cut: { index: number; chars: number }[];
  /** Null where the stream was not read to its end. */
  total: number | null;
  reachedEnd: boolean;
  finalNewline: boolean | null;
  endings: LineEndings;
  invalidUtf8: boolean;
}

export async function scanLines(source: AsyncIterable<Buffer>, request: WindowRequest): Promise<ScannedWindow> {
  const scan = new LineScan(request);
  for await (const piece of source) {
    scan.add(piece);
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
  /** A line that began in an earlier piece. */
  #open: LineCut | null = null;
  /** A carriage return at the end of that piece: of the line, or of its end. */
  #heldReturn = false;
  #chars = 0;
  #newlines = 0;
  #lastByte: number | null = null;
  /** No line more is taken. */
  #full = false;
  /** There is something after the window. */
  #beyond = false;
  #invalidUtf8 = false;

  constructor(request: WindowRequest) {
    this.#request = request;
  }

  get isDone(): boolean {
    return this.#beyond && !this.#request.count;
  }

  add(piece: Buffer): void {
    let rest = this.#skipLines(piece);
    while (!this.#full && rest.length > 0) rest = this.#takeLine(rest);
    if (rest.length > 0) {
      this.#beyond = true;
      this.#newlines += countNewlines(rest);
    }
    this.#lastByte = piece.at(-1) ?? this.#lastByte;
  }

  end(): ScannedWindow {
    const whole = !this.isDone;
    if (this.#open !== null) this.#endOpenLine("none");
    const unfinished = this.#lastByte !== null && this.#lastByte !== NEWLINE;
    return {
      lines: this.#lines,
      cut: this.#cut,
      total: whole ? this.#newlines + (unfinished ? 1 : 0) : null,
      reachedEnd: !this.#beyond,
      finalNewline: whole ? !unfinished : null,
      endings: this.#endings.size > 1 ? "mixed" : ([...this.#endings][0] ?? "none"),
      invalidUtf8: this.#invalidUtf8,
    };
  }

  /** What of the piece is not before the window. */
  #skipLines(piece: Buffer): Buffer {
    const missing = this.#request.skip - this.#newlines;
    if (missing <= 0) return piece;
    const inPiece = countNewlines(piece);
    this.#newlines += Math.min(missing, inPiece);
    if (inPiece < missing) return piece.subarray(piece.length);
    let position = 0;
    for (let passed = 0; passed < missing; passed++) position = piece.indexOf(NEWLINE, position) + 1;
    return piece.subarray(position);
  }

  /** Answers what comes after the line. */
  #takeLine(rest: Buffer): Buffer {
    const end = rest.indexOf(NEWLINE);
    if (end === -1) {
      this.#keepOpen(rest);
      return rest.subarray(rest.length);
    }
    this.#newlines++;
    if (this.#open === null) {
      const ending = end > 0 && rest[end - 1] === RETURN ? "crlf" : "lf";
      this.#finish(cutLine(rest.subarray(0, ending === "crlf" ? end - 1 : end), this.#request.stretch), ending);
    } else {
      if (end > 0) this.#keepOpen(rest.subarray(0, end));
      this.#endOpenLine("lf");
    }
    return rest.subarray(end + 1);
  }

  #keepOpen(bytes: Buffer): void {
    this.#open ??= new LineCut(this.#request.stretch);
    if (this.#heldReturn) this.#open.add(Buffer.of(RETURN));
    this.#heldReturn = bytes.at(-1) === RETURN;
    this.#open.add(this.#heldReturn ? bytes.subarray(0, -1) : bytes);
  }

  #endOpenLine(by: "lf" | "none"): void {
    const open = this.#open ?? new LineCut(this.#request.stretch);
    if (this.#heldReturn && by === "none") open.add(Buffer.of(RETURN));
    const ending = this.#heldReturn && by === "lf" ? "crlf" : by;
    this.#open = null;
    this.#heldReturn = false;
    this.#finish(open.end(), ending);
  }

  /** A line that does not fit belongs to what comes after, unless it is the first: something is always answered. */
  #finish({ text, chars, invalidUtf8 }: KeptLine, ending: "lf" | "crlf" | "none"): void {
    const { maxChars, limit, stretch } = this.#request;
    const cost = text.length + limits.fileLineFrameChars;
    if (this.#lines.length > 0 && this.#chars + cost > maxChars) {
      this.#full = true;
      this.#beyond = true;
      return;
    }
    if (stretch.skip + text.length < chars) this.#cut.push({ index: this.#lines.length, chars });
    this.#lines.push(text);
    this.#chars += cost;
    this.#full = this.#lines.length === limit || this.#chars >= maxChars;
    this.#invalidUtf8 ||= invalidUtf8;
    if (ending !== "none") this.#endings.add(ending);
  }
}
