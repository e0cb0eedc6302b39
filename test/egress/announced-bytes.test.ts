// Which announced lengths are believed.

import { expect, test } from "vitest";
import { announcedBytes } from "../../src/egress/announced-bytes.ts";

test.each<[announced: string | null, bytes: number | null]>([
  ["0", 0],
  ["1000000000000000", 10 ** 15],
  ["1000000000000001", null],
  ["9007199254740993", null],
  ["18446744073709551616", null],
  ["1e3", null],
  ["0x10", null],
  ["-1", null],
  ["1.5", null],
  ["5, 5", null],
  ["", null],
  [null, null],
])("announcedBytes() of %j is %j", (announced, bytes) => {
  expect(announcedBytes(new Headers(announced === null ? {} : { "content-length": announced }))).toBe(bytes);
});
