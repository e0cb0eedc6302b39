// Where a text is that was to be there once, with the lines about it, so that the caller can tell the places apart.

import type { Failure } from "../../../src/contract/failure.ts";
import { countNewlines } from "../output/count-newlines.ts";
import type { EditName } from "./apply-edits.ts";

/** So many line numbers, and so many places with their lines. */
const LINES = 100;
const SHOWN = 5;
const CONTEXT_LINES = 2;
const CONTEXT_CHARS = 160;
/** Nobody needs to know how many more there are. */
const COUNTED = 10_000;
const NEWLINE = 10;

export function ambiguousMatch(bytes: Buffer, text: Buffer, name: EditName): Failure {
  const lines: number[] = [];
  const matches: Match[] = [];
  let count = 0;
  let line = 1;
  let counted = 0;
  for (let at = bytes.indexOf(text); at !== -1 && count < COUNTED; at = bytes.indexOf(text, at + 1)) {
    count++;
    if (lines.length === LINES) continue;
    line += countNewlines(bytes.subarray(counted, at));
    counted = at;
    if (lines.at(-1) !== line && matches.length < SHOWN) matches.push(withContext(bytes, at, line));
    lines.push(line);
  }
  return { reason: "ambiguous_match", ...name, count, counted_all: count < COUNTED, lines, matches };
}

interface Match {
  line: number;
  first_line: number;
  context: string[];
}

function withContext(bytes: Buffer, at: number, line: number): Match {
  const before = linesBefore(bytes, at);
  const own = lineFrom(bytes, at - offsetInLine(bytes, at));
  const after: string[] = [];
  for (let next = own.next; next < bytes.length && after.length < CONTEXT_LINES; ) {
    const { text, next: following } = lineFrom(bytes, next);
    after.push(text);
    next = following;
  }
  return { line, first_line: line - before.length, context: [...before, own.text, ...after] };
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

/** What is shown of the line that begins at `start`, and where the next one begins. */
function lineFrom(bytes: Buffer, start: number): { text: string; next: number } {
  const newline = bytes.indexOf(NEWLINE, start);
  const end = newline === -1 ? bytes.length : newline;
  const text = bytes.toString("utf8", start, Math.min(end, start + 4 * CONTEXT_CHARS));
  return { text: text.length > CONTEXT_CHARS ? `${text.slice(0, CONTEXT_CHARS)}…` : text, next: end + 1 };
}
