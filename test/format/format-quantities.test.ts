// Bytes, counts, ages, shell words and truncated texts, each in its one notation.

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { formatBytes, formatExactBytes } from "../../src/format/format-bytes.ts";
import { formatCount, formatTimes } from "../../src/format/format-count.ts";
import { formatAgo } from "../../src/format/format-duration.ts";
import { quoteShell } from "../../src/format/quote-shell.ts";
import { formatOmitted, truncate, truncateMiddle } from "../../src/format/truncate.ts";

test.each<[number, string, string]>([
  [0, "0 B", "0 bytes"],
  [1, "1 B", "1 byte"],
  [1_023, "1023 B", "1,023 bytes"],
  [1_024, "1 KiB", "1 KiB (1,024 bytes)"],
  [46_285, "45.2 KiB", "45.2 KiB (46,285 bytes)"],
  [102_500, "100 KiB", "100 KiB (102,500 bytes)"],
  [1_048_575, "1 MiB", "1 MiB (1,048,575 bytes)"],
  [64 * 1024 ** 2, "64 MiB", "64 MiB (67,108,864 bytes)"],
  [1.5 * 1024 ** 4, "1.5 TiB", "1.5 TiB (1,649,267,441,664 bytes)"],
  [5_000 * 1024 ** 4, "5000 TiB", "5000 TiB (5,497,558,138,880,000 bytes)"],
])("formatBytes() and formatExactBytes() of %i", (bytes, short, exact) => {
  expect([formatBytes(bytes), formatExactBytes(bytes)]).toEqual([short, exact]);
});

test("formatCount() groups digits, and takes an irregular plural", () => {
  expect([0, 1, 1_234].map((count) => formatCount(count, "entry", "entries"))).toEqual([
    "0 entries",
    "1 entry",
    "1,234 entries",
  ]);
  expect([1, 2].map(formatTimes)).toEqual(["once", "2 times"]);
});

test.each<[number, string]>([
  [-5_000, "just now"],
  [499, "just now"],
  [1_400, "1 s ago"],
  [3_900_000, "1 h 5 min ago"],
])("formatAgo() of %i ms", (age, text) => {
  expect(formatAgo(1_000_000, 1_000_000 + age)).toBe(text);
});

test("truncate() keeps the start, and no half of a character", () => {
  expect([truncate("abc", 3), truncate("abcd", 3), truncate("ab\u{1F600}", 3)]).toEqual(["abc", "abc…", "ab\uFFFD…"]);
});

test("truncateMiddle() keeps the start and the end, and counts what it omits", () => {
  const text = `${"a".repeat(5_000)}z`;
  const short = truncateMiddle(text, 200, 10);
  const omitted = 5_001 - short.replace(/\n.*\n/, "").length;
  expect(short).toBe(`${"a".repeat(130)}\n${formatOmitted(omitted, "character")}\n${"a".repeat(9)}z`);
  expect(short.length).toBeLessThanOrEqual(200);
  expect(truncateMiddle(text, 5_001, 10)).toBe(text);
});

test.each(["plain", "it's", '$HOME `id` "x" \\ !', "a\nb", ""])("quoteShell() of %j is one word", (text) => {
  expect(execFileSync("sh", ["-c", `printf %s ${quoteShell(text)}`], { encoding: "utf8" })).toBe(text);
});
