// The lines of a text that are most like a given one. Lines in common vote for where it could begin; where there are none,
// the longest line is compared with every line.

import { likeness } from "./missing-path.ts";

export interface NearLines {
  line: number;
  end_line: number;
  text: string;
}

const CANDIDATES = 3;
/** Less alike than this is no help. */
const ALIKE = 0.5;
/** Beyond this much work the rest of a text is not looked at. */
export const LINES_MAX = 100_000;
const COMPARED_CHARS = 200;
/** A line that is everywhere, such as a closing brace, says nothing of a place. */
const COMMON_LINE = 50;
const STARTS = 12;
/** So many lines are compared exactly. */
const LIKELY = 200;

export function nearestLines(text: string, wanted: string): NearLines[] {
  const lines = text.split("\n", LINES_MAX);
  const old = trimBlankEnds(wanted.split("\n"));
  if (old.length === 0) return [];
  const voted = votedStarts(lines, old);
  const starts = voted.length > 0 ? voted : anchorStarts(lines, old);
  const scored = starts
    .map((start) => ({ start, score: scoreAt(lines, old, start) }))
    .filter(({ score }) => score >= ALIKE)
    .toSorted((a, b) => b.score - a.score);
  return apart(scored, old.length).map(({ start }) => ({
    line: start + 1,
    end_line: Math.min(lines.length, start + old.length),
    text: lines.slice(start, start + old.length).join("\n"),
  }));
}

function votedStarts(lines: string[], old: string[]): number[] {
  const places = new Map<string, number[]>();
  const wanted = new Set(old.map(squeeze));
  for (const [index, line] of lines.entries()) {
    const key = squeeze(line);
    if (key === "" || !wanted.has(key)) continue;
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of old.entries()) {
    const found = places.get(squeeze(line)) ?? [];
    if (found.length > COMMON_LINE) continue;
    for (const place of found) {
      const start = Math.max(0, place - index);
      votes.set(start, (votes.get(start) ?? 0) + line.length + 1);
    }
  }
  return [...votes]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, STARTS)
    .map(([start]) => start);
}

/** The lines are gone through with a rough measure, and the best of them with the exact one. */
function anchorStarts(lines: string[], old: string[]): number[] {
  const longest = old.reduce((best, line, index) => (line.length > (old[best]?.length ?? 0) ? index : best), 0);
  const anchor = old[longest] ?? "";
  const pairs = pairsOf(anchor.trim().slice(0, COMPARED_CHARS));
  const rough = lines.map((line, index) => ({ index, score: shared(pairs, line) }));
  const likely = rough.filter(({ score }) => score >= ALIKE / 2).toSorted((a, b) => b.score - a.score);
  const scored = likely
    .slice(0, LIKELY)
    .map(({ index }) => ({ start: index - longest, score: alike(anchor, lines[index] ?? "") }));
  const best = scored.filter(({ start, score }) => start >= 0 && score >= ALIKE).toSorted((a, b) => b.score - a.score);
  return best.slice(0, STARTS).map(({ start }) => start);
}

const pairAt = (text: string, index: number): number => text.charCodeAt(index) * 0x1_0000 + text.charCodeAt(index + 1);

function pairsOf(text: string): Set<number> {
  const pairs = new Set<number>();
  for (let index = 0; index + 1 < text.length; index++) pairs.add(pairAt(text, index));
  return pairs;
}

/** How much of the pairs of characters is in the line: for a fragment of it, all. */
function shared(pairs: ReadonlySet<number>, line: string): number {
  let common = 0;
  const end = Math.min(line.length - 1, 4 * COMPARED_CHARS);
  for (let index = 0; index < end; index++) if (pairs.has(pairAt(line, index))) common++;
  return pairs.size === 0 ? 0 : Math.min(1, common / pairs.size);
}

/** From 0 to 1, each line with the weight of its length. */
function scoreAt(lines: string[], old: string[], start: number): number {
  let score = 0;
  let weight = 0;
  for (const [index, line] of old.entries()) {
    const each = line.trim().length + 1;
    weight += each;
    score += each * alike(line, lines[start + index] ?? "");
  }
  return score / weight;
}

/** A fragment of a line is like the line it is a fragment of. */
function alike(old: string, line: string): number {
  const a = old.trim().slice(0, COMPARED_CHARS);
  const b = line.trim();
  if (a === b) return 1;
  if (a === "" || b === "") return 0;
  if (squeeze(a) === squeeze(b)) return 0.98;
  const whole = likeness(a, b.slice(0, COMPARED_CHARS));
  if (b.length <= a.length) return whole;
  const at = b.toLowerCase().indexOf(a.slice(0, 8).toLowerCase());
  return Math.max(whole, at === -1 ? 0 : 0.95 * likeness(a, b.slice(at, at + a.length)));
}

function apart<Each extends { start: number }>(scored: Each[], length: number): Each[] {
  const kept: Each[] = [];
  for (const each of scored) {
    if (kept.length === CANDIDATES) break;
    if (kept.every(({ start }) => Math.abs(start - each.start) >= length)) kept.push(each);
  }
  return kept;
}

const squeeze = (line: string): string => line.replace(/\s+/g, "");

function trimBlankEnds(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}
