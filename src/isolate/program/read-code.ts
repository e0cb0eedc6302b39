// Extracts JavaScript from the given text: without a Markdown fence around it and without types.

import { type CodeFault, toCodeFault } from "./code-fault.ts";
import type { Position } from "./position.ts";
import { type Stripped, stripTypes } from "./strip-types.ts";
import { parseExpression, parseProgram } from "./syntax.ts";
import { opensWithFence, unfence } from "./unfence.ts";

/** Throws a CodeFault when the text contains no code. */
export function readCode(given: string): Stripped {
  const first = opensWithFence(given) ? (unfence(given) ?? given) : given;
  try {
    return readTypeScript(first);
  } catch (fault) {
    const inner = first === given ? unfence(given) : null;
    if (inner === null) throw fault;
    return readTypeScript(inner);
  }
}

function readTypeScript(text: string): Stripped {
  const asJavaScript = tryParse(text);
  if (asJavaScript === null) return { text, original: (position) => position };
  let stripped: Stripped;
  try {
    stripped = stripTypes(text);
  } catch (error) {
    const asTypeScript = toCodeFault(error, text, (position) => position);
    // The parser that got further understood more of the text, so its error helps more.
    throw isAfter(asTypeScript.position, asJavaScript.position) ? asTypeScript : asJavaScript;
  }
  const fault = tryParse(stripped.text, stripped.original);
  if (fault !== null) throw fault;
  return stripped;
}

function tryParse(text: string, original = (position: Position) => position): CodeFault | null {
  if (parseExpression(text) !== null) return null;
  try {
    parseProgram(text);
    return null;
  } catch (error) {
    return toCodeFault(error, text, original);
  }
}

const isAfter = (a: Position | null, b: Position | null): boolean =>
  a !== null && (b === null || a.line > b.line || (a.line === b.line && a.column > b.column));
