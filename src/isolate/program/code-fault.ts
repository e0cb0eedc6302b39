// An error in the code that is found before it runs.

import { type Position, positionAt } from "./position.ts";

export class CodeFault extends Error {
  readonly position: Position | null;

  constructor(name: string, message: string, position: Position | null) {
    super(message);
    this.name = name;
    this.position = position;
  }
}

/** Turns an error of acorn (with `pos`) or sucrase into a CodeFault. */
export function toCodeFault(error: unknown, text: string, original: (position: Position) => Position): CodeFault {
  if (error instanceof RangeError) return new CodeFault("SyntaxError", "The code is nested too deeply", null);
  if (!(error instanceof Error)) throw error;
  const message = error.message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, "");
  const position = "pos" in error && typeof error.pos === "number" ? original(positionAt(text, error.pos)) : null;
  return new CodeFault("SyntaxError", message, position);
}
