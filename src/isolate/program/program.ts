// Generated code, made into the module that the harness imports. An expression, statements (the last expression is the
// value), a body with `return`, a function, or a module with its own exports: the text stays as it is but for what is inserted
// at places that the parser found, and every place in the module leads back to the line and column in the text that was given.

import { editProgram } from "./edit-program.ts";
import { offsetAt, type Position, positionAt } from "./position.ts";
import { readCode } from "./read-code.ts";

export interface Program {
  source: string;
  /** The default export is a function to call; what it returns is the value. */
  callMain: boolean;
  /** It may use what the platform has for Node (and a start with it takes longer). */
  usesNode: boolean;
  /** It names what reaches out. */
  fetches: boolean;
  /** From a place in `source` to the one in the text that was given. */
  original(position: Position): Position;
}

/** Throws a CodeFault where the text is not code that can run here. */
export function prepareProgram(given: string): Program {
  const { text, original } = readCode(blankOut(given));
  const { edits, callMain } = editProgram(text, (offset) => original(positionAt(text, offset)));
  const made = edits.apply(text);
  return {
    source: made.text,
    callMain,
    usesNode: /\b(Buffer|process|setImmediate|global|import)\b/.test(text),
    fetches: /\bfetch\b/.test(text),
    original: (position) => original(positionAt(text, made.originalOffset(offsetAt(made.text, position)))),
  };
}

/** What no parser takes, replaced by as many spaces. */
const blankOut = (given: string): string =>
  given
    .replaceAll("\r\n", " \n")
    .replace(/^\uFEFF/, " ")
    .replace(/^#![^\n]*/, (line) => " ".repeat(line.length));
