// Formats a change of a file for a model: what was done, what the model should know, and the diff.

import type { FileWritten } from "../../src/contract/file.ts";
import type { FileAppendResult } from "../../src/contract/file-append.ts";
import type { FileEditResult } from "../../src/contract/file-edit.ts";
import type { FileWriteResult } from "../../src/contract/file-write.ts";
import { formatExactBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { formatOmitted } from "../../src/format/truncate.ts";
import { formatHash, formatLocation } from "./format-location.ts";

export function formatWritten(value: FileWriteResult): string {
  const isNew = value.size_before === null;
  const state = value.unchanged
    ? "the same content as before"
    : isNew
      ? "a new file"
      : `it was ${formatExactBytes(value.size_before ?? 0)}`;
  const what = `${formatVerb(value, "Wrote", "write")} ${formatLocation(value)}: ${formatExactBytes(value.size)}, ${state}${formatHash(value)}.`;
  const remarks: string[] = [];
  const { endings } = value;
  if (endings !== null && endings.before !== endings.after && endings.before !== "none" && endings.after !== "none")
    remarks.push(`Line endings changed from ${endings.before.toUpperCase()} to ${endings.after.toUpperCase()}.`);
  if (value.bom_dropped) remarks.push("The byte order mark at its start was removed.");
  if (remarks.length === 0 && !value.unchanged && value.diff?.text === "")
    remarks.push("The text is the same: only line endings, a byte order mark or the encoding changed.");
  return [what, ...remarks, ...formatWriteRemarks(value), ...formatDiff(value)].join("\n");
}

export function formatEdited(value: FileEditResult): string {
  const lines =
    value.diff === null ? "" : `, ${formatCount(value.diff.added, "line")} added and ${value.diff.removed} removed`;
  const what = `${formatVerb(value, "Edited", "edit")} ${formatLocation(value)}: ${formatCount(value.changes, "change")}${lines}; ${formatExactBytes(value.size)}${formatHash(value)}.`;
  const kept: string[] = [];
  if (value.encoding !== "utf-8") kept.push(`${value.encoding.toUpperCase()} encoding`);
  else if (value.bom) kept.push("byte order mark");
  if (value.endings === "crlf") kept.push("CRLF line endings");
  if (value.endings === "mixed") kept.push("mixed line endings");
  const remarks = kept.length === 0 ? [] : [`Kept: ${kept.join(", ")}.`];
  return [what, ...remarks, ...formatWriteRemarks(value), ...formatDiff(value)].join("\n");
}

export function formatAppended(value: FileAppendResult): string {
  const isNew = value.size_before === null ? ", a new file" : "";
  const what = `${formatVerb(value, "Appended", "append")} ${formatExactBytes(value.appended_bytes)} to ${formatLocation(value)}${isNew}: now ${formatExactBytes(value.size)}${formatHash(value)}.`;
  const remarks: string[] = [];
  if (value.continued_line)
    remarks.push("It did not end with a newline, so the appended text continues its last line.");
  if (value.endings === "crlf") remarks.push("Lines got CRLF endings, as in the rest of the file.");
  if (value.encoding !== "utf-8") remarks.push(`Encoded as ${value.encoding.toUpperCase()}, as the rest of the file.`);
  return [what, ...remarks, ...formatLinks(value)].join("\n");
}

const formatVerb = ({ dry_run }: FileWritten, past: string, verb: string): string =>
  dry_run ? `Dry run, nothing was changed: would ${verb}` : past;

function formatWriteRemarks(value: FileWritten): string[] {
  const inPlace = value.in_place
    ? ["Written in place, because no new file can be created beside it: unlike other writes, not atomic."]
    : [];
  return [...inPlace, ...formatLinks(value)];
}

function formatLinks({ other_links }: FileWritten): string[] {
  if (other_links === 0) return [];
  const names = formatCount(other_links, "other name (hard link)", "other names (hard links)");
  return [`The file had ${names}, which keep${other_links === 1 ? "s" : ""} the old content.`];
}

function formatDiff({ diff }: FileWritten): string[] {
  if (diff === null || diff.text === "") return [];
  return diff.omitted_lines === 0
    ? [diff.text]
    : [diff.text, formatOmitted(diff.omitted_lines, "line of the diff", "lines of the diff")];
}
