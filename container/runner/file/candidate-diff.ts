// A line diff from the text that an edit looked for to similar text that the file has.

import { diffLines } from "diff";

const LINE_CHARS = 300;
const DIFF_LINES = 40;
/** diff's maxEditLength: how many differences are looked for before it gives up. */
const EDITS_MAX = 2_000;

/** Lines that begin with `-` are from the text looked for, with `+` from the file; two spaces mark lines in both. */
export function candidateDiff(old: string, found: string): string {
  const parts = diffLines(`${old.replace(/^\n+|\n+$/g, "")}\n`, `${found}\n`, { maxEditLength: EDITS_MAX }) ?? [];
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
