// Finds the lines of a text that are most similar to a wanted text. Lines that both have vote for where it could begin; when
// there are none, the longest wanted line is compared with every line.

import { likeness } from "./missing-path.ts";

export interface NearLines {
  line: number;
  end_line: number;
  text: string;
}

const CANDIDATES = 3;
/** Less similar text would not help. */
const SIMILARITY_MIN = 0.5;
/** Lines after this many are not compared. */
export const LINES_MAX = 100_000;
const COMPARED_CHARS = 200;
/** A line that occurs more often, such as a closing brace, says nothing about the position. */
const COMMON_LINE = 50;
const STARTS_MAX = 12;
/** How many lines are compared with the exact measure. */
const EXACT_MAX = 200;

export function nearestLines(text: string, wanted: string): NearLines[] {
  const lines = text.split("\n", LINES_MAX);
  const old = trimBlankEnds(wanted.split("\n"));
  if (old.length === 0) return [];
  const voted = votedStarts(lines, old);
  const starts = voted.length > 0 ? voted : anchorStarts(lines, old);
  const scored = starts
    .map((start) => ({ start, score: scoreAt(lines, old, start) }))
    .filter(({ score }) => score >= SIMILARITY_MIN)
    .toSorted((a, b) => b.score - a.score);
  return withoutOverlaps(scored, old.length).map(({ start }) => ({
    line: start + 1,
    end_line: Math.min(lines.length, start + old.length),
    text: lines.slice(start, start + old.length).join("\n"),
  }));
}

function votedStarts(lines: string[], old: string[]): number[] {
  const places = new Map<string, number[]>();
  const wanted = new Set(old.map(withoutBlanks));
  for (const [index, line] of lines.entries()) {
    const key = withoutBlanks(line);
    if (key === "" || !wanted.has(key)) continue;
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of old.entries()) {
    const found = places.get(withoutBlanks(line)) ?? [];
    if (found.length > COMMON_LINE) continue;
    for (const place of found) {
      const start = Math.max(0, place - index);
      votes.set(start, (votes.get(start) ?? 0) + line.length + 1);
    }
  }
  return [...votes]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, STARTS_MAX)
    .map(([start]) => start);
}

/** Scores all lines with a rough measure, and the best of them with the exact one. */
function anchorStarts(lines: string[], old: string[]): number[] {
  const longest = old.reduce((best, line, index) => (line.length > (old[best]?.length ?? 0) ? index : best), 0);
  const anchor = old[longest] ?? "";
  const pairs = pairsOf(anchor.trim().slice(0, COMPARED_CHARS));
  const rough = lines.map((line, index) => ({ index, score: sharedPairs(pairs, line) }));
  const likely = rough.filter(({ score }) => score >= SIMILARITY_MIN / 2).toSorted((a, b) => b.score - a.score);
  const scored = likely
    .slice(0, EXACT_MAX)
    .map(({ index }) => ({ start: index - longest, score: similarity(anchor, lines[index] ?? "") }));
  const best = scored
    .filter(({ start, score }) => start >= 0 && score >= SIMILARITY_MIN)
    .toSorted((a, b) => b.score - a.score);
  return best.slice(0, STARTS_MAX).map(({ start }) => start);
}

const pairAt = (text: string, index: number): number => text.charCodeAt(index) * 0x1_0000 + text.charCodeAt(index + 1);

function pairsOf(text: string): Set<number> {
  const pairs = new Set<number>();
  for (let index = 0; index + 1 < text.length; index++) pairs.add(pairAt(text, index));
  return pairs;
}

/** The share of the pairs of characters that the line has: all of them when the pairs are from a fragment of it. */
function sharedPairs(pairs: ReadonlySet<number>, line: string): number {
  let common = 0;
  const end = Math.min(line.length - 1, 4 * COMPARED_CHARS);
  for (let index = 0; index < end; index++) if (pairs.has(pairAt(line, index))) common++;
  return pairs.size === 0 ? 0 : Math.min(1, common / pairs.size);
}

/** From 0 to 1; each line counts by its length. */
function scoreAt(lines: string[], old: string[], start: number): number {
  let score = 0;
  let weight = 0;
  for (const [index, line] of old.entries()) {
    const each = line.trim().length + 1;
    weight += each;
    score += each * similarity(line, lines[start + index] ?? "");
  }
  return score / weight;
}

/** From 0 to 1. A fragment of a line counts as similar to the whole line. */
function similarity(old: string, line: string): number {
  const a = old.trim().slice(0, COMPARED_CHARS);
  const b = line.trim();
  if (a === b) return 1;
  if (a === "" || b === "") return 0;
  if (withoutBlanks(a) === withoutBlanks(b)) return 0.98;
  const whole = likeness(a, b.slice(0, COMPARED_CHARS));
  if (b.length <= a.length) return whole;
  const at = b.toLowerCase().indexOf(a.slice(0, 8).toLowerCase());
  return Math.max(whole, at === -1 ? 0 : 0.95 * likeness(a, b.slice(at, at + a.length)));
}

function withoutOverlaps<Each extends { start: number }>(scored: Each[], length: number): Each[] {
  const kept: Each[] = [];
  for (const each of scored) {
    if (kept.length === CANDIDATES) break;
    if (kept.every(({ start }) => Math.abs(start - each.start) >= length)) kept.push(each);
  }
  return kept;
}

const withoutBlanks = (line: string): string => line.replace(/\s+/g, "");

function trimBlankEnds(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}
