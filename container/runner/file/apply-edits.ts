// Edits of a text in memory, each on the outcome of the one before. Exact: what is not replaced keeps its bytes.

import type { Failure } from "../../../src/contract/failure.ts";
import type { FileEdit } from "../../../src/contract/file-edit.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { ambiguousMatch } from "./ambiguous-match.ts";
import { insertLines } from "./insert-lines.ts";
import { endingAt, lfView, toLf, withEnding } from "./lf-view.ts";
import { noMatch } from "./no-match.ts";

export interface Edited {
  bytes: Buffer;
  /** Places changed. */
  changes: number;
}

/** Which edit of how many, 1-based, of which file: for a failure to name. */
export interface EditName {
  path: string;
  edit: number;
  edits: number;
}

export function applyEdits(path: string, source: Buffer, edits: readonly FileEdit[]): Result<Edited> {
  let edited: Edited = { bytes: source, changes: 0 };
  for (const [index, edit] of edits.entries()) {
    const name = { path, edit: index + 1, edits: edits.length };
    const invalid = problemOf(edit, name);
    if (invalid !== null) return fail({ reason: "invalid_request", message: invalid });
    const next =
      edit.kind === "insert" ? insertLines(edited.bytes, edit, name) : replace(edited.bytes, edit, { name, source });
    if (!next.ok) return next;
    edited = { bytes: next.value.bytes, changes: edited.changes + next.value.changes };
  }
  return succeed(edited);
}

type Replacement = FileEdit & { kind: "replace" };

function problemOf(edit: FileEdit, name: EditName): string | null {
  const which = name.edits === 1 ? "" : ` in edit ${name.edit}`;
  const texts = edit.kind === "insert" ? [edit.text] : [edit.old_string, edit.new_string];
  if (!texts.every((text) => text.isWellFormed()))
    return `The text${which} contains half of a character (a lone surrogate), which no file can hold. Send it whole.`;
  if (edit.kind === "insert") return null;
  if (edit.old_string === "")
    return `old_string${which} is empty. Use insert_line to insert text, or write for a file's whole content.`;
  if (toLf(edit.old_string) === toLf(edit.new_string))
    return `old_string and new_string${which} are the same, so nothing would change. Line endings stay the file's own in an edit; to change them, write the file.`;
  return null;
}

/** More places than this are a task for a program. */
const PLACES_MAX = 1_000_000;
/** What an edit may make of a file: a long text in a thousand places is soon larger than the memory. */
const GROWN_MAX_BYTES = 4 * limits.fileEditMaxBytes;

function replace(source: Buffer, edit: Replacement, at: { name: EditName; source: Buffer }): Result<Edited> {
  const view = lfView(source);
  // A file without a line end has none to give: the text is taken as it is.
  const lined = view.bytes.includes(10);
  const old = Buffer.from(lined ? toLf(edit.old_string) : edit.old_string);
  const places = edit.replace_all ? placesOf(view.bytes, old) : firstTwo(view.bytes, old);
  if (places.length === 0) return fail(noMatch(source, edit.old_string, { ...at.name, original: at.source }));
  if (places.length > 1 && !edit.replace_all) return fail(ambiguousMatch(view.bytes, old, at.name));
  if (places.length > PLACES_MAX) return fail(tooMany(at.name));

  const replacement = Buffer.from(lined ? toLf(edit.new_string) : edit.new_string);
  const same = commonEnds(old, replacement);
  const lf = replacement.subarray(same.start, replacement.length - same.end);
  const crlf = lined ? Buffer.from(withEnding(lf.toString("latin1"), "\r\n"), "latin1") : lf;
  const most = source.length + places.length * crlf.length;
  if (most > GROWN_MAX_BYTES) return fail(tooLarge(at.name, most));
  const bytes = Buffer.allocUnsafe(most);
  let length = 0;
  let copied = 0;
  for (const place of places) {
    const from = view.toSource(place + same.start);
    length += source.copy(bytes, length, copied, from);
    length += (crlf.length > lf.length && endingAt(source, from) === "\r\n" ? crlf : lf).copy(bytes, length);
    copied = view.toSource(place + old.length - same.end);
  }
  length += source.copy(bytes, length, copied);
  return succeed({ bytes: bytes.subarray(0, length), changes: places.length });
}

const tooLarge = ({ path }: EditName, bytes: number): Failure => ({
  reason: "invalid_request",
  message: `The edit could make "${path}" as large as ${bytes} bytes; ${GROWN_MAX_BYTES} is the most. Nothing was written. Make it with a program through exec.`,
});

const tooMany = ({ path }: EditName): Failure => ({
  reason: "invalid_request",
  message: `old_string is in "${path}" in more than ${PLACES_MAX} places. Nothing was written. Replace them with a program through exec.`,
});

/** From left to right, none within another; one more than may be replaced shows that there are too many. */
function placesOf(bytes: Buffer, text: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) {
    places.push(at);
    if (places.length > PLACES_MAX) break;
  }
  return places;
}

/** A second one may overlap the first: then, too, it is not said which is meant. */
function firstTwo(bytes: Buffer, text: Buffer): number[] {
  const first = bytes.indexOf(text);
  const second = first === -1 ? -1 : bytes.indexOf(text, first + 1);
  return [first, second].filter((at) => at !== -1);
}

/** What both begin and end with is not touched: lines of it keep the endings they have, whatever their neighbours have. */
function commonEnds(a: Buffer, b: Buffer): { start: number; end: number } {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { start, end };
}
