// Turns what was written for a terminal into what the terminal would show at last, line by line: control sequences
// go, and `\r`, backspaces and the cursor's moves within a line are carried out. `stripVTControlCharacters` of Node
// is not enough here: it leaves the text of DCS and of OSC strings with spaces, and knows nothing of overwriting.

/** Clean text: no control characters but `\n` and `\t`. */
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
const LEFT_OVER = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above
const SEQUENCE = new RegExp(`${CSI}|${STRING}|${ESCAPE}`, "g");
const TOKEN = new RegExp(`${CSI}|${STRING}|${ESCAPE}|[^]`, "gu");

/** Nobody's screen is wider, and a hostile cursor move must not cost memory. */
const COLUMNS_MAX = 10_000;

function shownLine(line: string): string {
  const body = line.endsWith("\r") ? line.replace(/\r+$/, "") : line;
  if (!CONTROL.test(body)) return body;
  return MOVES.test(body) ? draw(body) : body.replace(SEQUENCE, "").replace(LEFT_OVER, "");
}

/** Plays the line on a row of cells. */
function draw(line: string): string {
  const cells: string[] = [];
  let column = 0;
  for (const [token] of line.matchAll(TOKEN)) {
    if (token === "\r") column = 0;
    else if (token === "\b") column = Math.max(0, column - 1);
    else if (token.length > 1 && CONTROL.test(token)) column = moved(cells, column, token);
    else if (CONTROL.test(token)) continue;
    else if (column > 0 && /\p{M}|\u200d/u.test(token)) cells[column - 1] = (cells[column - 1] ?? " ") + token;
    else {
      while (cells.length < column) cells.push(" ");
      cells[column++] = token;
    }
  }
  return cells.join("");
}

/** Carries out a control sequence that edits the line or moves within it; answers the new column. */
function moved(cells: string[], column: number, sequence: string): number {
  const parameters = EDIT.exec(sequence);
  if (parameters === null) return column;
  const given = Number(parameters[1]);
  const count = Math.min(Math.max(1, given), COLUMNS_MAX);
  switch (parameters[2]) {
    case "C":
      return Math.min(column + count, COLUMNS_MAX);
    case "D":
      return Math.max(0, column - Math.max(1, given));
    case "G":
      return count - 1;
    case "P":
      cells.splice(column, count);
      return column;
    case "@":
      if (column < cells.length) cells.splice(column, 0, ...Array<string>(count).fill(" "));
      return column;
    default:
      erase(cells, column, given);
      return column;
  }
}

/** 0 to the end of the line, 1 to its start, 2 and more all of it. */
function erase(cells: string[], column: number, mode: number): void {
  if (mode === 0) cells.length = Math.min(cells.length, column);
  else if (mode === 1) cells.fill(" ", 0, column + 1);
  else cells.length = 0;
}
