// The failure of an edit whose text is not in the file: the most similar text that is, and the mistake if it is a usual one.
// The edit is never made on a guess.

import type { Failure } from "../../../src/contract/failure.ts";
import { countNewlines } from "../output/count-newlines.ts";
import { candidateDiff } from "./candidate-diff.ts";
import type { EditPosition } from "./edit-result.ts";
import { toLf } from "./lf-view.ts";
import { LINES_MAX, nearestLines } from "./nearest-lines.ts";

/** Only a part of a larger file is compared: the result is a hint. */
const COMPARED_BYTES = 8 * 1024 * 1024;
/** How much of that part comes before the longest line of the text, in addition to the size of the text. */
const AHEAD_BYTES = 64 * 1024;

export function noMatch(bytes: Buffer, oldString: string, at: EditPosition & { original: Buffer }): Failure {
  const old = toLf(oldString);
  const start = comparedStart(bytes, old);
  const linesBefore = countNewlines(bytes.subarray(0, start));
  const text = toLf(bytes.toString("utf8", start, start + COMPARED_BYTES));
  const candidates = nearestLines(text, old).map(({ line, end_line, text }) => ({
    line: line + linesBefore,
    end_line: end_line + linesBefore,
    text,
  }));
  const { path, edit, edits } = at;
  const partial = candidates.length === 0 ? partialHint(bytes, start) : null;
  return {
    reason: "no_match",
    path,
    edit,
    edits,
    hint:
      hintFor(text, old, at) ?? differenceHint(old, candidates[0]?.text ?? null, candidates[0]?.line ?? 0) ?? partial,
    candidates: candidates.map((candidate) => ({
      line: candidate.line,
      end_line: candidate.end_line,
      diff: candidateDiff(old, candidate.text),
    })),
  };
}

/** A near miss is most likely around the longest line of the text, if the file has that line. */
function comparedStart(bytes: Buffer, old: string): number {
  const longest = old.split("\n").reduce((best, line) => (line.trim().length > best.length ? line.trim() : best), "");
  const found = longest === "" ? -1 : bytes.indexOf(longest);
  const from = found - AHEAD_BYTES - Buffer.byteLength(old);
  return from <= 0 ? 0 : bytes.lastIndexOf(10, from) + 1;
}

/** Null when all of the file was compared. */
function partialHint(bytes: Buffer, start: number): string | null {
  const lines = countNewlines(bytes.subarray(start, start + COMPARED_BYTES));
  if (start === 0 && bytes.length <= COMPARED_BYTES && lines < LINES_MAX) return null;
  return `The file is large, so only ${Math.min(lines, LINES_MAX)} of its lines were searched for similar text.`;
}

function hintFor(text: string, old: string, { edit, original }: EditPosition & { original: Buffer }): string | null {
  if (edit > 1 && toLf(original.toString("utf8", 0, COMPARED_BYTES)).includes(old))
    return "It was in the file until an earlier edit in this call changed it: edits apply in order, each to the result of the one before.";
  if (old.includes("\uFFFD"))
    return "It contains U+FFFD, which a read shows in place of bytes that are not UTF-8: choose text next to them.";
  const unnumbered = old.replace(/^[ ]*\d+(\t|→|: |\| ?)/gm, "");
  if (unnumbered !== old && text.includes(unnumbered))
    return "It contains the line numbers of a read: leave them out, with the tab after them.";
  const unescaped = old.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"');
  if (unescaped !== old && text.includes(unescaped))
    return "It is escaped once too often: it has a backslash and a letter where the file has the character itself.";
  const escaped = old.replaceAll("\n", "\\n");
  if (escaped !== old && text.includes(escaped))
    return "It has a line break where the file has the two characters \\n.";
  if (text.toLowerCase().includes(old.toLowerCase())) return "It differs from the file only in upper and lower case.";
  return null;
}

/** A difference that a reader does not see in a diff: white space, and characters that look alike. */
function differenceHint(wanted: string, found: string | null, line: number): string | null {
  const old = wanted.replace(/^\n+|\n+$/g, "");
  if (found === null || normalize(old).trim() !== normalize(found).trim() || old === found) return null;
  const isBlank = old.replace(/\s+/g, "") === found.replace(/\s+/g, "");
  const what = isBlank ? "It differs from the file only in white space" : "It differs in characters that look alike";
  const difference = firstDifference(old, found);
  if (difference === null) return `${what}.`;
  return `${what}: in line ${line + difference.line}, column ${difference.column}, it has ${characterName(difference.old)} and the file has ${characterName(difference.found)}.`;
}

/** Replaces characters that look alike with the same character. */
const normalize = (text: string): string =>
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

function characterName(character: string | undefined): string {
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
