// Turns output for a terminal into the text that the terminal would show in the end, line by line: control sequences are removed,
// and `\r`, backspaces and cursor moves within a line are carried out. Node's `stripVTControlCharacters` is not enough: it keeps
// the text of DCS strings and of OSC strings with spaces, and does not overwrite.

import { TerminalRow } from "./terminal-row.ts";

/** Returns clean text, which has no control characters except `\n` and `\t`. */
export function terminalText(text: string): string {
  if (!CONTROL.test(text)) return text;
  return text.split("\n").map(shownLine).join("\n");
}

// ECMA-48 control sequences. No part can match what starts another one, so that matching stays linear.
const CSI = "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*(?:[@-~]|$)";
const STRING =
  "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)";
const ESCAPE = "\\x1b[ -/]*[0-~]";

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const MOVES = /[\r\b]|(?:\x1b\[|\x9b)[0-?]*[@CDGJKP]/;
const EDIT = /^(?:\x1b\[|\x9b)(\d*)([@CDGJKP])$/;
const PLAIN = /[^\x00-\x08\x0b-\x1f\x7f-\x9f]+/y;
const LEFT_OVER = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above
const SEQUENCE = new RegExp(`${CSI}|${STRING}|${ESCAPE}`, "g");
const NEXT_SEQUENCE = new RegExp(SEQUENCE, "y");

/** How many cells the edits of a line may pass over for each of its characters: ordinary programs stay far below. */
const WORK_PER_CHARACTER = 8;
const WORK_LEAST = 10_000;

function shownLine(line: string): string {
  const body = line.endsWith("\r") ? line.replace(/\r+$/, "") : line;
  if (!CONTROL.test(body)) return body;
  return MOVES.test(body) ? draw(body) : body.replace(SEQUENCE, "").replace(LEFT_OVER, "");
}

/** Draws the line on a row of a screen. */
function draw(line: string): string {
  const row = new TerminalRow(line.length * WORK_PER_CHARACTER + WORK_LEAST);
  for (let at = 0; at < line.length; ) {
    const plain = matchAt(PLAIN, line, at);
    if (plain !== "") row.write(plain);
    const next = at + plain.length;
    const sequence = matchAt(NEXT_SEQUENCE, line, next);
    if (sequence !== "") edit(row, sequence);
    else if (line[next] === "\r") row.moveTo(0);
    else if (line[next] === "\b") row.moveBy(-1);
    at = next + Math.max(1, sequence.length);
  }
  return row.text;
}

/** Returns "" when the sticky `pattern` does not match at `at`. */
function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** Carries out a control sequence that edits the line or moves within it. All others affect only the looks. */
function edit(row: TerminalRow, sequence: string): void {
  const parameters = EDIT.exec(sequence);
  if (parameters !== null) EDITS.get(parameters[2])?.(row, Number(parameters[1]));
}

type Edit = (row: TerminalRow, given: number) => void;

/** Mode 0 erases to the end of the line, 1 to its start, 2 and above the whole line. */
const erase: Edit = (row, mode) => {
  if (mode === 0) row.eraseToEnd();
  else if (mode === 1) row.eraseToStart();
  else row.eraseAll();
};

/** A missing number or 0 means 1, except for erasing. */
const EDITS: ReadonlyMap<string | undefined, Edit> = new Map<string, Edit>([
  ["C", (row, given) => row.moveBy(Math.max(1, given))],
  ["D", (row, given) => row.moveBy(-Math.max(1, given))],
  ["G", (row, given) => row.moveTo(Math.max(1, given) - 1)],
  ["P", (row, given) => row.delete(Math.max(1, given))],
  ["@", (row, given) => row.insertBlanks(Math.max(1, given))],
  ["J", erase],
  ["K", erase],
]);
