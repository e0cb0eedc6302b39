// Generated code, turned into the module that the harness imports. The code may be an expression, statements (the last
// expression is the value), a function body with `return`, a function, or a module with exports. The text stays as it is
// except for insertions at places that the parser found, and every place in the module can be traced to the line and column
// in the given text.

import { TraceMap } from "@jridgewell/trace-mapping";
import { editProgram } from "./edit-program.ts";
import { type Position, positionAt } from "./position.ts";
import { readCode } from "./read-code.ts";
import { originalPosition } from "./source-map.ts";

export interface Program {
  source: string;
  /** The default export is a function to call, and what it returns is the value. */
  callMain: boolean;
  /** The code may use Node APIs of the platform, with which an isolate takes longer to start. */
  usesNode: boolean;
  /** The code mentions `fetch`. */
  usesFetch: boolean;
  /** From a place in `source` to the place in the given text. */
  original(position: Position): Position;
}

/** Throws a CodeFault when the text is not code that can run here. */
export function prepareProgram(given: string): Program {
  const { text, original } = readCode(blankUnparsable(given));
  const { edited, callMain } = editProgram(text, (offset) => original(positionAt(text, offset)));
  let map: TraceMap | null = null;
  return {
    source: edited.toString(),
    callMain,
    usesNode: /\b(Buffer|process|setImmediate|global|import)\b/.test(text),
    usesFetch: /\bfetch\b/.test(text),
    original(position) {
      map ??= new TraceMap({ version: 3, ...edited.generateDecodedMap({ hires: true }) });
      return original(originalPosition(map, position, 1) ?? positionAt(text, text.length));
    },
  };
}

/** Replaces what the parsers do not accept (carriage returns, a byte order mark, a shebang line) by as many spaces. */
const blankUnparsable = (given: string): string =>
  given
    .replaceAll("\r\n", " \n")
    .replace(/^\uFEFF/, " ")
    .replace(/^#![^\n]*/, (line) => " ".repeat(line.length));
