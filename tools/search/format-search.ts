// How the answer of a search is worded for a model: what was found in all, then the page, then what it should know.

import type { SearchFile, SearchLine, SearchRequest, SearchResult } from "../../src/contract/search.ts";
import { formatCount, formatNumber } from "../../src/format/format-count.ts";
import { emptyWords } from "./format-empty.ts";

export function searchText(request: SearchRequest, result: SearchResult, notice: string | null): string {
  const parts = [
    ...(notice === null ? [] : [`Notice: ${notice}`]),
    headline(request, result),
    ...(result.empty === null ? [] : emptyWords(request, result.empty)),
    ...remarks(result),
    ...pageOf(request, result),
  ];
  return parts.join("\n");
}

function headline(request: SearchRequest, result: SearchResult): string {
  const { shown, total, more } = result;
  const unit = request.mode === "content" ? "hit" : "file";
  if (shown === 0) return nothingWords(request, result, unit);
  const range = `${unit}s ${formatNumber(request.offset + 1)}–${formatNumber(request.offset + shown)}`;
  const next = more ? ` Next page: offset ${request.offset + shown}.` : "";
  if (total === null) return more ? `${capital(range)}; there are more.${next}` : `${capital(range)}.`;
  const all = totalWords(request, total);
  return more || request.offset > 0 ? `${capital(range)} of ${all}.${next}` : `${capital(all)}.`;
}

function nothingWords({ mode, offset }: SearchRequest, { total, timed_out }: SearchResult, unit: string): string {
  const all = total === null ? 0 : mode === "content" ? total.hits : total.files;
  if (all > 0) return `Offset ${offset} is past the last of ${formatCount(all, unit)}.`;
  if (timed_out) return "Nothing was found in the time there was.";
  return mode === "names" ? "No file matches." : "No hits.";
}

function totalWords({ mode }: SearchRequest, { hits, files }: { hits: number; files: number }): string {
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

function remarks({ timed_out, unreadable, more, total }: SearchResult): string[] {
  const words: string[] = [];
  if (timed_out)
    words.push(
      `The search was stopped before its end${more || total === null ? "; this is what it had found, in no certain order" : ""}. Name a narrower path, glob or type.`,
    );
  if (unreadable.count > 0) {
    const rest = unreadable.count > unreadable.examples.length ? "; …" : "";
    words.push(`Could not be read (${unreadable.count}): ${unreadable.examples.join("; ")}${rest}`);
  }
  return words;
}

function pageOf({ mode }: SearchRequest, { files }: SearchResult): string[] {
  if (files.length === 0) return [];
  switch (mode) {
    case "content":
      return files.flatMap((file) => ["", heading(file), ...fileLines(file.lines)]);
    case "count":
      return ["", ...files.map(({ path, count }) => `${shown(path)}:${count}`)];
    case "files_with_matches":
    case "names":
      return ["", ...files.map(({ path }) => shown(path))];
  }
}

function heading({ path, invalid_utf8, binary_offset }: SearchFile): string {
  const notes = [
    ...(invalid_utf8 ? ["not UTF-8: such bytes are shown as \uFFFD"] : []),
    ...(binary_offset === null ? [] : [`binary from byte ${binary_offset} on`]),
  ];
  return notes.length === 0 ? shown(path) : `${shown(path)} (${notes.join("; ")})`;
}

/** On one line, as file list shows it. */
const shown = (path: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  path.replace(/[\x00-\x1f\x7f]/g, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** As ripgrep prints them: `12:` before a hit, `13-` before a line around it, `--` where lines are left out between. */
function fileLines(lines: readonly SearchLine[]): string[] {
  const around = lines.some(({ hit }) => !hit);
  const words: string[] = [];
  let next: number | null = null;
  for (const line of lines) {
    if (around && next !== null && line.line > next) words.push("--");
    words.push(lineWords(line));
    next = line.line + line.text.split("\n").length;
  }
  return words;
}

function lineWords({ line, hit, text, whole_bytes }: SearchLine): string {
  const mark = hit ? ":" : "-";
  if (whole_bytes !== null)
    return `${line}${mark}${text} [of ${whole_bytes >= MiB ? "at least " : ""}${formatNumber(whole_bytes)} bytes]`;
  return text
    .split("\n")
    .map((part, index) => `${line + index}${mark}${part.replace(/\r$/, "")}`)
    .join("\n");
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const MiB = 1024 * 1024;
