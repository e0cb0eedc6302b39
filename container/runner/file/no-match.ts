// Why a text may not be found in a file: the nearest there is, and the usual mistakes, named. Nothing is guessed and done.

import type { Failure } from "../../../src/contract/failure.ts";
import { countNewlines } from "../output/count-newlines.ts";
import type { EditName } from "./apply-edits.ts";
import { candidateDiff } from "./candidate-diff.ts";
import { toLf } from "./lf-view.ts";
import { LINES_MAX, nearestLines } from "./nearest-lines.ts";

/** Of a larger file only a part is looked at: it is to be a hint, not a search. */
const LOOK_BYTES = 8 * 1024 * 1024;
/** What of that comes before the longest line of the text, beside as much as the text has. */
const AHEAD_BYTES = 64 * 1024;

export function noMatch(bytes: Buffer, oldString: string, at: EditName & { original: Buffer }): Failure {
  const old = toLf(oldString);
  const start = startOfLook(bytes, old);
  const linesBefore = countNewlines(bytes.subarray(0, start));
  const text = toLf(bytes.toString("utf8", start, start + LOOK_BYTES));
  const candidates = nearestLines(text, old).map(({ line, end_line, text }) => ({
    line: line + linesBefore,
    end_line: end_line + linesBefore,
    text,
  }));
  const { path, edit, edits } = at;
  const looked = candidates.length === 0 ? lookedHint(bytes, start) : null;
  return {
    reason: "no_match",
    path,
    edit,
    edits,
    hint:
      hintFor(text, old, at) ?? differenceHint(old, candidates[0]?.text ?? null, candidates[0]?.line ?? 0) ?? looked,
    candidates: candidates.map((candidate) => ({
      line: candidate.line,
      end_line: candidate.end_line,
      diff: candidateDiff(old, candidate.text),
    })),
  };
}

/** The longest line may be anywhere in the file, as it is: around it a near miss is most likely. */
function startOfLook(bytes: Buffer, old: string): number {
  const longest = old.split("\n").reduce((best, line) => (line.trim().length > best.length ? line.trim() : best), "");
  const found = longest === "" ? -1 : bytes.indexOf(longest);
  const from = found - AHEAD_BYTES - Buffer.byteLength(old);
  return from <= 0 ? 0 : bytes.lastIndexOf(10, from) + 1;
}

/** Null where all of the file was looked at. */
function lookedHint(bytes: Buffer, start: number): string | null {
  const lines = countNewlines(bytes.subarray(start, start + LOOK_BYTES));
  if (start === 0 && bytes.length <= LOOK_BYTES && lines < LINES_MAX) return null;
  return `The file is large: what resembles it was looked for in ${Math.min(lines, LINES_MAX)} of its lines only.`;
}

function hintFor(text: string, old: string, { edit, original }: EditName & { original: Buffer }): string | null {
  if (edit > 1 && toLf(original.toString("utf8", 0, LOOK_BYTES)).includes(old))
    return "It was there before the edits ahead of it in this call changed it: edits apply in order, each to the outcome of the one before.";
  if (old.includes("\uFFFD"))
    return "It contains U+FFFD, which a read shows in place of bytes that are not UTF-8: choose text beside them.";
  const unnumbered = old.replace(/^[ ]*\d+(\t|→|: |\| ?)/gm, "");
  if (unnumbered !== old && text.includes(unnumbered))
    return "It carries the line numbers of a read: leave them out, with the tab after them.";
  const unescaped = old.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"');
  if (unescaped !== old && text.includes(unescaped))
    return "It is escaped once too often: it has a backslash and a letter where the file has the character itself.";
  const escaped = old.replaceAll("\n", "\\n");
  if (escaped !== old && text.includes(escaped))
    return "It has a line break where the file has the two characters \\n.";
  if (text.toLowerCase().includes(old.toLowerCase())) return "It differs from the file in upper and lower case only.";
  return null;
}

/** A difference that a diff does not show to the eye: blanks, and characters that look alike. */
function differenceHint(wanted: string, found: string | null, line: number): string | null {
  const old = wanted.replace(/^\n+|\n+$/g, "");
  if (found === null || plain(old).trim() !== plain(found).trim() || old === found) return null;
  const isBlank = old.replace(/\s+/g, "") === found.replace(/\s+/g, "");
  const what = isBlank ? "It differs from the file in white space only" : "It differs in characters that look alike";
  const place = firstDifference(old, found);
  if (place === null) return `${what}.`;
  return `${what}: in line ${line + place.line}, column ${place.column}, it has ${nameOf(place.old)} and the file has ${nameOf(place.found)}.`;
}

/** With all that looks alike made the same. */
const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u201A\u2032]/g, "'")
    .replace(/[\u201C\u201D\u201E\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u200B-\u200D\u2060\uFEFF\u00AD]/g, "")
    .replace(/[^\S\n]+/g, " ")
    .replace(/^ | $/gm, "");

function firstDifference(old: string, found: string) {
  const oldLines = old.split("\n");
  const foundLines = found.split("\n");
  const line = oldLines.findIndex((text, index) => text !== foundLines[index]);
  if (line === -1) return null;
  const a = [...(oldLines[line] ?? "")];
  const b = [...(foundLines[line] ?? "")];
  let column = 0;
  while (column < a.length && a[column] === b[column]) column++;
  return { line, column: column + 1, old: a[column], found: b[column] };
}

function nameOf(character: string | undefined): string {
  if (character === undefined) return "the end of the line";
  const known = NAMES[character];
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return known === undefined ? `"${character}" (${code})` : known;
}

const NAMES: Record<string, string> = {
  "\t": "a tab",
  " ": "a space",
  "\u00a0": "a no-break space (U+00A0)",
  "\r": "a carriage return",
};
