// Applies edits to a text in memory, each to the result of the one before. Bytes that are not replaced stay exactly the same.

import type { Failure } from "../../../src/contract/failure.ts";
import type { FileEdit } from "../../../src/contract/file-edit.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { ambiguousMatch } from "./ambiguous-match.ts";
import type { EditPosition, EditResult } from "./edit-result.ts";
import { insertLines } from "./insert-lines.ts";
import { endingAt, lfView, toLf, withEnding } from "./lf-view.ts";
import { noMatch } from "./no-match.ts";

export function applyEdits(path: string, source: Buffer, edits: readonly FileEdit[]): Result<EditResult> {
  let edited: EditResult = { bytes: source, changes: 0 };
  for (const [index, edit] of edits.entries()) {
    const position = { path, edit: index + 1, edits: edits.length };
    const invalid = problemOf(edit, position);
    if (invalid !== null) return fail({ reason: "invalid_request", message: invalid });
    const next =
      edit.kind === "insert"
        ? insertLines(edited.bytes, edit, position)
        : replace(edited.bytes, edit, { position, source });
    if (!next.ok) return next;
    edited = { bytes: next.value.bytes, changes: edited.changes + next.value.changes };
  }
  return succeed(edited);
}

type Replacement = FileEdit & { kind: "replace" };

function problemOf(edit: FileEdit, position: EditPosition): string | null {
  const which = position.edits === 1 ? "" : ` in edit ${position.edit}`;
  const texts = edit.kind === "insert" ? [edit.text] : [edit.old_string, edit.new_string];
  if (!texts.every((text) => text.isWellFormed()))
    return `The text${which} contains half of a character (a lone surrogate), which no file can hold. Send the whole character.`;
  if (edit.kind === "insert") return null;
  if (edit.old_string === "")
    return `old_string${which} is empty. Use insert_line to insert text, or write for a file's whole content.`;
  if (toLf(edit.old_string) === toLf(edit.new_string))
    return `old_string and new_string${which} are the same, so nothing would change. An edit keeps the file's line endings; to change them, write the file.`;
  return null;
}

/** More replacements are a task for a program. */
const MATCHES_MAX = 1_000_000;
/** How large an edit may make a file: a long text in a thousand positions is soon larger than memory. */
const RESULT_MAX_BYTES = 4 * limits.fileEditMaxBytes;

function replace(
  source: Buffer,
  edit: Replacement,
  at: { position: EditPosition; source: Buffer },
): Result<EditResult> {
  const view = lfView(source);
  // A file without a line ending cannot say which to use, so the text is taken as it is.
  const hasLines = view.bytes.includes(10);
  const old = Buffer.from(hasLines ? toLf(edit.old_string) : edit.old_string);
  const matches = edit.replace_all ? allMatches(view.bytes, old) : firstTwoMatches(view.bytes, old);
  if (matches.length === 0) return fail(noMatch(source, edit.old_string, { ...at.position, original: at.source }));
  if (matches.length > 1 && !edit.replace_all) return fail(ambiguousMatch(view.bytes, old, at.position));
  if (matches.length > MATCHES_MAX) return fail(tooManyMatches(at.position));

  const replacement = Buffer.from(hasLines ? toLf(edit.new_string) : edit.new_string);
  const same = commonEnds(old, replacement);
  const lf = replacement.subarray(same.start, replacement.length - same.end);
  const crlf = hasLines ? Buffer.from(withEnding(lf.toString("latin1"), "\r\n"), "latin1") : lf;
  const maxLength = source.length + matches.length * crlf.length;
  if (maxLength > RESULT_MAX_BYTES) return fail(tooLarge(at.position, maxLength));
  const bytes = Buffer.allocUnsafe(maxLength);
  let length = 0;
  let copied = 0;
  for (const match of matches) {
    const from = view.toSource(match + same.start);
    length += source.copy(bytes, length, copied, from);
    length += (crlf.length > lf.length && endingAt(source, from) === "\r\n" ? crlf : lf).copy(bytes, length);
    copied = view.toSource(match + old.length - same.end);
  }
  length += source.copy(bytes, length, copied);
  return succeed({ bytes: bytes.subarray(0, length), changes: matches.length });
}

const tooLarge = ({ path }: EditPosition, bytes: number): Failure => ({
  reason: "invalid_request",
  message: `The edit could make "${path}" as large as ${bytes} bytes; the limit is ${RESULT_MAX_BYTES}. Nothing was written. Make the change with a program through exec.`,
});

const tooManyMatches = ({ path }: EditPosition): Failure => ({
  reason: "invalid_request",
  message: `old_string occurs more than ${MATCHES_MAX} times in "${path}". Nothing was written. Replace it with a program through exec.`,
});

/** The offsets of all matches from left to right, without overlaps. Stops at one more than may be replaced. */
function allMatches(bytes: Buffer, text: Buffer): number[] {
  const matches: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) {
    matches.push(at);
    if (matches.length > MATCHES_MAX) break;
  }
  return matches;
}

/** The second match may overlap the first, which makes the text just as ambiguous. */
function firstTwoMatches(bytes: Buffer, text: Buffer): number[] {
  const first = bytes.indexOf(text);
  const second = first === -1 ? -1 : bytes.indexOf(text, first + 1);
  return [first, second].filter((at) => at !== -1);
}

/** The lengths of the common start and end, which are not touched, so that their lines keep their own line endings. */
function commonEnds(a: Buffer, b: Buffer): { start: number; end: number } {
  const maxLength = Math.min(a.length, b.length);
  let start = 0;
  while (start < maxLength && a[start] === b[start]) start++;
  let end = 0;
  while (end < maxLength - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { start, end };
}
