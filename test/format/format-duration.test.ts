// Durations in their two largest units.

import { expect, test } from "vitest";
import { formatDuration } from "../../src/format/format-duration.ts";

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1_000, "1 s"],
  [3_400, "3.4 s"],
  [59_400, "59.4 s"],
  [59_900, "1 min"],
  [60_000, "1 min"],
  [303_000, "5 min 3 s"],
  [3_599_900, "1 h"],
  [7_800_000, "2 h 10 min"],
  [86_400_000, "1 d"],
  [30 * 86_400_000 - 1, "30 d"],
  [100 * 3_600_000, "4 d 4 h"],
])("formatDuration(%i)", (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});
