// Where a text is that was to be there once, with the lines about it, so that the caller can tell the places apart.

import type { Failure } from "../../../src/contract/failure.ts";
import { countNewlines } from "../count-newlines.ts";
import type { EditName } from "./apply-edits.ts";

/** So many line numbers, and so many places with their lines. */
const LINES = 100;
const SHOWN = 5;
const CONTEXT_LINES = 2;
const CONTEXT_CHARS = 160;

export function ambiguousMatch(bytes: Buffer, text: Buffer, name: EditName): Failure {
  const lines: number[] = [];
  let count = 0;
  let line = 1;
  let counted = 0;
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) {
    count++;
    if (lines.length === LINES) continue;
    line += countNewlines(bytes.subarray(counted, at));
    counted = at;
    lines.push(line);
  }
  const all = bytes.toString("utf8").replace(/\n$/, "").split("\n");
  const shown = [...new Set(lines)].slice(0, SHOWN);
  return { reason: "ambiguous_match", ...name, count, lines, matches: shown.map((each) => withContext(all, each)) };
}

function withContext(all: string[], line: number): { line: number; first_line: number; context: string[] } {
  const first = Math.max(1, line - CONTEXT_LINES);
  const context = all.slice(first - 1, line + CONTEXT_LINES);
  return { line, first_line: first, context: context.map(shorten) };
}

const shorten = (line: string): string => (line.length > CONTEXT_CHARS ? `${line.slice(0, CONTEXT_CHARS)}…` : line);
