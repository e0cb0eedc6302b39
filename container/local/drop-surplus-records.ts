// Shortens the lines of the egress log. Every principal has the same share of the space, so that one that makes many records pushes
// out none of another. What is dropped is counted.

import * as z from "zod";

/** A record, or a line that counts the records of a principal that were dropped. */
const Line = z.object({ principal: z.string(), dropped: z.number().int().optional() });

interface Records {
  principal: string;
  /** The indexes of their lines, oldest first. */
  indexes: number[];
  /** The length of the lines with their line ends. */
  size: number;
  dropped: number;
}

/**
 * The newest records of each principal, in their order, in `maxChars` at most. Before them a line for each principal of whom records
 * are missing: `{"principal": "alice", "dropped": 12}`. Lines that cannot be read are left out.
 */
export function dropSurplusRecords(lines: readonly string[], maxChars: number): string[] {
  const all = byPrincipal(lines);
  let space = maxChars;
  // The smallest first, so that what one does not need is shared by the others.
  const bySize = all.toSorted((a, b) => a.size - b.size);
  for (const [index, records] of bySize.entries()) {
    dropOldest(records, lines, space / (bySize.length - index));
    space -= records.size;
  }
  const counts = all
    .filter(({ dropped }) => dropped > 0)
    .map(({ principal, dropped }) => JSON.stringify({ principal, dropped }));
  const kept = new Set(all.flatMap(({ indexes }) => indexes));
  return [...counts, ...lines.filter((_, index) => kept.has(index))];
}

function byPrincipal(lines: readonly string[]): Records[] {
  const all = new Map<string, Records>();
  for (const [index, line] of lines.entries()) {
    const parsed = Line.safeParse(parseJson(line));
    if (!parsed.success) continue;
    const { principal, dropped } = parsed.data;
    const records = all.get(principal) ?? { principal, indexes: [], size: 0, dropped: 0 };
    all.set(principal, records);
    if (dropped !== undefined) records.dropped += dropped;
    else {
      records.indexes.push(index);
      records.size += line.length + 1;
    }
  }
  return [...all.values()];
}

function dropOldest(records: Records, lines: readonly string[], maxChars: number): void {
  let count = 0;
  for (; records.size > maxChars; count += 1) records.size -= (lines[records.indexes[count] ?? 0]?.length ?? 0) + 1;
  records.indexes.splice(0, count);
  records.dropped += count;
}

/** Undefined for a line that is not JSON, such as one that the end of the server cut off. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
