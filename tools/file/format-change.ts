// How a change of a file is worded for a model: what was done, what it should know, and the diff.

import type { FileWritten } from "../../src/contract/file.ts";
import type { FileAppendResult } from "../../src/contract/file-append.ts";
import type { FileEditResult } from "../../src/contract/file-edit.ts";
import type { FileWriteResult } from "../../src/contract/file-write.ts";
import { formatExactBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { hashOf, placeOf } from "./format-location.ts";

export function writtenText(value: FileWriteResult): string {
  const isNew = value.size_before === null;
  const state = value.unchanged
    ? "the same content as before"
    : isNew
      ? "a new file"
      : `it was ${formatExactBytes(value.size_before ?? 0)}`;
  const what = `${did(value, "Wrote", "write")} ${placeOf(value)}: ${formatExactBytes(value.size)}, ${state}${hashOf(value)}.`;
  const remarks: string[] = [];
  const { endings } = value;
  if (endings !== null && endings.before !== endings.after && endings.before !== "none" && endings.after !== "none")
    remarks.push(`Line endings changed from ${endings.before.toUpperCase()} to ${endings.after.toUpperCase()}.`);
  if (value.bom_dropped) remarks.push("The byte order mark it began with is gone.");
  if (remarks.length === 0 && !value.unchanged && value.diff?.text === "")
    remarks.push("The text is the same: what changed is line endings, a byte order mark or the encoding.");
  return [what, ...remarks, ...writeRemarks(value), ...diffText(value)].join("\n");
}

export function editedText(value: FileEditResult): string {
  const lines =
    value.diff === null ? "" : `, ${formatCount(value.diff.added, "line")} added and ${value.diff.removed} removed`;
  const what = `${did(value, "Edited", "edit")} ${placeOf(value)}: ${formatCount(value.changes, "change")}${lines}; ${formatExactBytes(value.size)}${hashOf(value)}.`;
  const kept: string[] = [];
  if (value.encoding !== "utf-8") kept.push(`${value.encoding.toUpperCase()} encoding`);
  else if (value.bom) kept.push("byte order mark");
  if (value.endings === "crlf") kept.push("CRLF line endings");
  if (value.endings === "mixed") kept.push("mixed line endings");
  const remarks = kept.length === 0 ? [] : [`Kept: ${kept.join(", ")}.`];
  return [what, ...remarks, ...writeRemarks(value), ...diffText(value)].join("\n");
}

export function appendedText(value: FileAppendResult): string {
  const isNew = value.size_before === null ? ", a new file" : "";
  const what = `${did(value, "Appended", "append")} ${formatExactBytes(value.appended_bytes)} to ${placeOf(value)}${isNew}: now ${formatExactBytes(value.size)}${hashOf(value)}.`;
  const remarks: string[] = [];
  if (value.continued_line)
    remarks.push("It did not end with a newline, so the appended text goes on with its last line.");
  if (value.endings === "crlf") remarks.push("Lines were ended with CRLF, as in the rest of the file.");
  if (value.encoding !== "utf-8") remarks.push(`Encoded as ${value.encoding.toUpperCase()}, as the rest of the file.`);
  return [what, ...remarks, ...linkRemark(value)].join("\n");
}

const did = ({ dry_run }: FileWritten, past: string, verb: string): string =>
  dry_run ? `Dry run, nothing was changed: would ${verb}` : past;

function writeRemarks(value: FileWritten): string[] {
  const inPlace = value.in_place
    ? ["Written in place, for nothing can be put beside or over it: not atomic, unlike other writes."]
    : [];
  return [...inPlace, ...linkRemark(value)];
}

function linkRemark({ other_links }: FileWritten): string[] {
  if (other_links === 0) return [];
  const names = other_links === 1 ? "1 other name (hard link)" : `${other_links} other names (hard links)`;
  return [`The file had ${names}; there the old content stays.`];
}

function diffText({ diff }: FileWritten): string[] {
  if (diff === null || diff.text === "") return [];
  return diff.omitted_lines === 0
    ? [diff.text]
    : [diff.text, `(${formatCount(diff.omitted_lines, "more line")} of the diff)`];
}
