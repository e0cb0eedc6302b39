// From the text that was looked for to the text that is there, line by line.

import { diffLines } from "diff";

const LINE_CHARS = 300;
const DIFF_LINES = 40;
const EFFORT = 2_000;

/** `-` is the text looked for, `+` the file, and two spaces what they have in common. */
export function candidateDiff(old: string, found: string): string {
  const parts = diffLines(`${old.replace(/^\n+|\n+$/g, "")}\n`, `${found}\n`, { maxEditLength: EFFORT }) ?? [];
  const lines = parts.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => `${added ? "+" : removed ? "-" : " "} ${shorten(line)}`),
  );
  if (lines.length <= DIFF_LINES) return lines.join("\n");
  return [
    ...lines.slice(0, DIFF_LINES),
    `[… ${lines.length - DIFF_LINES} ${lines.length === DIFF_LINES + 1 ? "line" : "lines"} omitted]`,
  ].join("\n");
}

const shorten = (line: string): string => (line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line);
