// Formats the answer of a search for a model: what was found in all, then the page, then what the model should know about it.

import type { SearchFile, SearchLine, SearchRequest, SearchResult } from "../../src/contract/search.ts";
import { formatCount, formatNumber } from "../../src/format/format-count.ts";
import { formatOmitted } from "../../src/format/truncate.ts";
import { formatEmpty } from "./format-empty.ts";

export const formatSearch = (request: SearchRequest, result: SearchResult): string =>
  [
    formatHeadline(request, result),
    ...(result.empty === null ? [] : formatEmpty(request, result.empty)),
    ...formatRemarks(result),
    ...formatPage(request, result),
  ].join("\n");

function formatHeadline(request: SearchRequest, result: SearchResult): string {
  const { shown, total, more } = result;
  const unit = request.mode === "content" ? "hit" : "file";
  if (shown === 0) return formatNothing(request, result, unit);
  const range = `${unit}s ${formatNumber(request.offset + 1)}–${formatNumber(request.offset + shown)}`;
  const next = more ? ` Next page: offset ${request.offset + shown}.` : "";
  if (total === null) return more ? `${capitalize(range)}; there are more.${next}` : `${capitalize(range)}.`;
  const all = formatTotal(request, total);
  return more || request.offset > 0 ? `${capitalize(range)} of ${all}.${next}` : `${capitalize(all)}.`;
}

function formatNothing({ mode, offset }: SearchRequest, { total, timed_out }: SearchResult, unit: string): string {
  const all = total === null ? 0 : mode === "content" ? total.hits : total.files;
  if (all > 0) return `Offset ${offset} is past the last of ${formatCount(all, unit)}.`;
  if (timed_out) return "Nothing was found before the time limit.";
  return mode === "names" ? "No file matches." : "No hits.";
}

function formatTotal({ mode }: SearchRequest, { hits, files }: { hits: number; files: number }): string {
  switch (mode) {
    case "content":
      return `${formatCount(hits, "hit")} in ${formatCount(files, "file")}`;
    case "count":
      return `${formatCount(files, "file")}, with ${formatCount(hits, "matching line")} in all`;
    case "files_with_matches":
      return `${formatCount(files, "file")} with matches`;
    case "names":
      return `${formatCount(files, "file")}, newest first`;
  }
}

function formatRemarks({ timed_out, unreadable, more, total }: SearchResult): string[] {
  const remarks: string[] = [];
  if (timed_out) {
    const partial = more || total === null ? "; these are the hits until then, in no particular order" : "";
    remarks.push(`The search was stopped at the time limit${partial}. Name a narrower path, glob or type.`);
  }
  if (unreadable.count > 0) {
    const omitted = unreadable.count - unreadable.examples.length;
    const rest = omitted > 0 ? [formatOmitted(omitted, "path")] : [];
    remarks.push(`Could not be read: ${[...unreadable.examples, ...rest].join("; ")}`);
  }
  return remarks;
}

function formatPage({ mode }: SearchRequest, { files }: SearchResult): string[] {
  if (files.length === 0) return [];
  switch (mode) {
    case "content":
      return files.flatMap((file) => ["", formatHeading(file), ...formatLines(file.lines)]);
    case "count":
      return ["", ...files.map(({ path, count }) => `${escapeControls(path)}:${count}`)];
    case "files_with_matches":
    case "names":
      return ["", ...files.map(({ path }) => escapeControls(path))];
  }
}

function formatHeading({ path, invalid_utf8, binary_offset }: SearchFile): string {
  const notes = [
    ...(invalid_utf8 ? ["not UTF-8: invalid bytes are shown as \uFFFD"] : []),
    ...(binary_offset === null ? [] : [`binary from byte ${binary_offset} on`]),
  ];
  return notes.length === 0 ? escapeControls(path) : `${escapeControls(path)} (${notes.join("; ")})`;
}

/** Keeps a path on one line: control characters are shown as `\xNN`, as in file list. */
const escapeControls = (path: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  path.replace(/[\x00-\x1f\x7f]/g, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** As ripgrep prints them: `12:` before a hit, `13-` before a line of context, `--` for a gap between lines. */
function formatLines(lines: readonly SearchLine[]): string[] {
  const hasContext = lines.some(({ hit }) => !hit);
  const formatted: string[] = [];
  let next: number | null = null;
  for (const line of lines) {
    if (hasContext && next !== null && line.line > next) formatted.push("--");
    formatted.push(formatLine(line));
    next = line.line + line.text.split("\n").length;
  }
  return formatted;
}

function formatLine({ line, hit, text, whole_bytes }: SearchLine): string {
  const mark = hit ? ":" : "-";
  if (whole_bytes !== null) {
    const atLeast = whole_bytes >= EXACT_MAX_BYTES ? "at least " : "";
    return `${line}${mark}${text} [of ${atLeast}${formatCount(whole_bytes, "byte")}]`;
  }
  return text
    .split("\n")
    .map((part, index) => `${line + index}${mark}${part.replace(/\r$/, "")}`)
    .join("\n");
}

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The runner counts the bytes of a longer line only up to this. */
const EXACT_MAX_BYTES = 1024 * 1024;
