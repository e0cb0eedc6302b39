// What a write changed, as a unified diff. Only the region between the first and the last difference is compared, so that the
// change of one line costs the same in a large file as in a small one.

import { structuredPatch } from "diff";
import type { FileDiff } from "../../../src/contract/file.ts";
import { limits } from "../../../src/contract/limits.ts";
import { countNewlines } from "../output/count-newlines.ts";

const CONTEXT = 3;
/** A larger region is not compared: the answer could not show it. */
const REGION_MAX_BYTES = 1024 * 1024;
/** diff's maxEditLength: how many added and removed lines are looked for. The work grows with the square of it. */
const EDITS_MAX = 500;
/** How many lines are compared at a time when the whole region has more differences. */
const BLOCK_LINES = EDITS_MAX / 2;
const LINE_CHARS = 500;
const NEWLINE = 10;

/** Null when a diff would not help: for what is not text, and for changes that are too large to show. */
export function changeDiff(before: Buffer, after: Buffer): FileDiff | null {
  const region = regionOf(before, after);
  if (Math.max(region.before.length, region.after.length) > REGION_MAX_BYTES) return null;
  if (region.before.includes(0) || region.after.includes(0)) return null;
  const lines = diffOf(show(region.before), show(region.after), region.linesBefore);
  if (lines === null) return null;
  return { ...fit(lines.map(shorten)), added: countStarting(lines, "+"), removed: countStarting(lines, "-") };
}

/** Too many differences for one comparison are compared block by block if the number of lines has not changed. */
function diffOf(before: string, after: string, linesBefore: number): string[] | null {
  const whole = hunksOf(before, after, linesBefore);
  if (whole !== null) return whole;
  const a = before.split(/(?<=\n)/);
  const b = after.split(/(?<=\n)/);
  if (a.length !== b.length) return null;
  const lines: string[] = [];
  for (let at = 0; at < a.length; at += BLOCK_LINES) {
    const block = (all: string[]) => all.slice(at, at + BLOCK_LINES).join("");
    lines.push(...(hunksOf(block(a), block(b), linesBefore + at) ?? []));
  }
  return lines;
}

function hunksOf(before: string, after: string, linesBefore: number): string[] | null {
  const patch = structuredPatch("", "", before, after, "", "", { context: CONTEXT, maxEditLength: EDITS_MAX });
  if (patch === undefined) return null;
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart + linesBefore},${oldLines} +${newStart + linesBefore},${newLines} @@`,
    ...lines,
  ]);
}

const shorten = (line: string): string =>
  line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)} [… ${line.length - LINE_CHARS} characters omitted]` : line;

function fit(lines: string[]): { text: string; omitted_lines: number } {
  let chars = 0;
  const fitting = lines.findIndex((line) => {
    chars += line.length + 1;
    return chars > limits.fileDiffChars;
  });
  const shown = fitting === -1 ? lines : lines.slice(0, fitting);
  return { text: shown.join("\n"), omitted_lines: lines.length - shown.length };
}

const countStarting = (lines: string[], sign: string): number => lines.filter((line) => line.startsWith(sign)).length;

/** The difference, extended to whole lines with context. */
function regionOf(before: Buffer, after: Buffer): { before: Buffer; after: Buffer; linesBefore: number } {
  const prefix = commonPrefix(before, after);
  const suffix = commonSuffix(before.subarray(prefix), after.subarray(prefix));
  const start = contextStart(before, prefix);
  const endBefore = contextEnd(before, before.length - suffix);
  const endAfter = after.length - (before.length - endBefore);
  return {
    before: before.subarray(start, endBefore),
    after: after.subarray(start, endAfter),
    linesBefore: countNewlines(before.subarray(0, start)),
  };
}

/** The start of the line `CONTEXT` lines before the one at `offset`. */
function contextStart(bytes: Buffer, offset: number): number {
  let at = offset;
  for (let lines = 0; lines <= CONTEXT; lines++) {
    if (at === 0) return 0;
    const newline = bytes.lastIndexOf(NEWLINE, at - 1);
    if (newline === -1) return 0;
    at = lines === CONTEXT ? newline + 1 : newline;
  }
  return at;
}

/** The end of the line `CONTEXT` lines after the one at `offset`. */
function contextEnd(bytes: Buffer, offset: number): number {
  // When a difference ends at the end of a line, the line at `offset` is the next one.
  let at = offset;
  for (let lines = 0; lines <= CONTEXT; lines++) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline === -1) return bytes.length;
    at = newline + 1;
  }
  return at;
}

const STEP = 64 * 1024;

function commonPrefix(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at + STEP <= most && a.compare(b, at, at + STEP, at, at + STEP) === 0) at += STEP;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

function commonSuffix(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[a.length - 1 - length] === b[b.length - 1 - length]) length++;
  return length;
}

const show = (bytes: Buffer): string => bytes.toString("utf8").replaceAll("\r\n", "\n");
