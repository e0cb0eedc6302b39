// The failure of an edit whose text occurs more than once: every position with the lines around it, so that the caller can tell
// them apart.

import type { Failure } from "../../../src/contract/failure.ts";
import { countNewlines } from "../output/count-newlines.ts";
import type { EditPosition } from "./edit-result.ts";

/** How many line numbers are listed, and how many matches are shown with context. */
const LINES_MAX = 100;
const MATCHES_MAX = 5;
const CONTEXT_LINES = 2;
const CONTEXT_CHARS = 160;
/** Counting stops here: a higher number would not help the caller. */
const COUNT_MAX = 10_000;
const NEWLINE = 10;

export function ambiguousMatch(bytes: Buffer, text: Buffer, position: EditPosition): Failure {
  const lines: number[] = [];
  const matches: Match[] = [];
  let count = 0;
  let line = 1;
  let counted = 0;
  for (let at = bytes.indexOf(text); at !== -1 && count < COUNT_MAX; at = bytes.indexOf(text, at + 1)) {
    count++;
    if (lines.length === LINES_MAX) continue;
    line += countNewlines(bytes.subarray(counted, at));
    counted = at;
    if (lines.at(-1) !== line && matches.length < MATCHES_MAX) matches.push(withContext(bytes, at, line));
    lines.push(line);
  }
  return { reason: "ambiguous_match", ...position, count, counted_all: count < COUNT_MAX, lines, matches };
}

interface Match {
  line: number;
  first_line: number;
  context: string[];
}

function withContext(bytes: Buffer, at: number, line: number): Match {
  const before = linesBefore(bytes, at);
  const matching = lineFrom(bytes, at - offsetInLine(bytes, at));
  const after: string[] = [];
  for (let next = matching.next; next < bytes.length && after.length < CONTEXT_LINES; ) {
    const { text, next: following } = lineFrom(bytes, next);
    after.push(text);
    next = following;
  }
  return { line, first_line: line - before.length, context: [...before, matching.text, ...after] };
}

const offsetInLine = (bytes: Buffer, at: number): number =>
  at === 0 ? 0 : at - bytes.lastIndexOf(NEWLINE, at - 1) - 1;

function linesBefore(bytes: Buffer, at: number): string[] {
  const lines: string[] = [];
  for (let start = at - offsetInLine(bytes, at); start > 0 && lines.length < CONTEXT_LINES; ) {
    start -= 1 + offsetInLine(bytes, start - 1);
    lines.unshift(lineFrom(bytes, start).text);
  }
  return lines;
}

/** The shown part of the line that begins at `start`, and the offset of the next line. */
function lineFrom(bytes: Buffer, start: number): { text: string; next: number } {
  const newline = bytes.indexOf(NEWLINE, start);
  const end = newline === -1 ? bytes.length : newline;
  const text = bytes.toString("utf8", start, Math.min(end, start + 4 * CONTEXT_CHARS));
  return { text: text.length > CONTEXT_CHARS ? `${text.slice(0, CONTEXT_CHARS)}…` : text, next: end + 1 };
}
