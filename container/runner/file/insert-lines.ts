// Inserts text between two lines, as lines of its own.

import type { FileEdit } from "../../../src/contract/file-edit.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { countNewlines } from "../output/count-newlines.ts";
import type { EditPosition, EditResult } from "./edit-result.ts";
import { endingAt, withEnding } from "./lf-view.ts";

const NEWLINE = 10;

export function insertLines(
  source: Buffer,
  edit: FileEdit & { kind: "insert" },
  position: EditPosition,
): Result<EditResult> {
  const hasOpenEnd = source.length > 0 && source.at(-1) !== NEWLINE;
  const lines = countNewlines(source) + (hasOpenEnd ? 1 : 0);
  if (edit.line > lines) {
    const which = position.edits === 1 ? "" : ` of edit ${position.edit}`;
    const message = `insert_line ${edit.line}${which} is past the end of "${position.path}", which has ${lines} lines. Nothing was written. Use 0 for the top, or at most ${lines}.`;
    return fail({ reason: "invalid_request", message });
  }
  const at = startAfter(source, edit.line);
  const ending = endingAt(source, Math.max(0, at - 1));
  const text = withEnding(edit.text, ending);
  const lineEnd = ending ?? (edit.text.includes("\r\n") ? "\r\n" : "\n");
  return succeed({ bytes: Buffer.concat([source.subarray(0, at), asLines(text), source.subarray(at)]), changes: 1 });

  /** A last line without a line ending gets one first; the inserted text is then the line without one. */
  function asLines(text: string): Buffer {
    if (hasOpenEnd && at === source.length) return Buffer.from(lineEnd + text);
    return Buffer.from(text.endsWith("\n") || source.length === 0 ? text : text + lineEnd);
  }
}

/** The offset after the first `lines` lines. */
function startAfter(source: Buffer, lines: number): number {
  let at = 0;
  for (let passed = 0; passed < lines; passed++) {
    const end = source.indexOf(NEWLINE, at);
    if (end === -1) return source.length;
    at = end + 1;
  }
  return at;
}
