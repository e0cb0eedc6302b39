// Text put between two lines, as lines of its own.

import type { FileEdit } from "../../../src/contract/file-edit.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { countNewlines } from "../output/count-newlines.ts";
import type { Edited, EditName } from "./apply-edits.ts";
import { endingAt, withEnding } from "./lf-view.ts";

const NEWLINE = 10;

export function insertLines(source: Buffer, edit: FileEdit & { kind: "insert" }, name: EditName): Result<Edited> {
  const endsOpen = source.length > 0 && source.at(-1) !== NEWLINE;
  const lines = countNewlines(source) + (endsOpen ? 1 : 0);
  if (edit.line > lines) {
    const which = name.edits === 1 ? "" : ` of edit ${name.edit}`;
    const message = `insert_line ${edit.line}${which} is past the end of "${name.path}", which has ${lines} lines. Nothing was written. Use 0 for the top, or at most ${lines}.`;
    return fail({ reason: "invalid_request", message });
  }
  const at = startAfter(source, edit.line);
  const ending = endingAt(source, Math.max(0, at - 1));
  const text = withEnding(edit.text, ending);
  const lineEnd = ending ?? (edit.text.includes("\r\n") ? "\r\n" : "\n");
  return succeed({ bytes: Buffer.concat([source.subarray(0, at), asLines(text), source.subarray(at)]), changes: 1 });

  /** After an open last line comes a line end first, and the text is then the open one. */
  function asLines(text: string): Buffer {
    if (endsOpen && at === source.length) return Buffer.from(lineEnd + text);
    return Buffer.from(text.endsWith("\n") || source.length === 0 ? text : text + lineEnd);
  }
}

/** The offset after so many lines. */
function startAfter(source: Buffer, lines: number): number {
  let at = 0;
  for (let passed = 0; passed < lines; passed++) {
    const end = source.indexOf(NEWLINE, at);
    if (end === -1) return source.length;
    at = end + 1;
  }
  return at;
}
