// Which declared lengths are accepted.

import { expect, test } from "vitest";
import { parseContentLength } from "../../src/egress/content-length.ts";

test.each<[declared: string | null, bytes: number | null]>([
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
])("parseContentLength() of %j is %j", (declared, bytes) => {
  expect(parseContentLength(new Headers(declared === null ? {} : { "content-length": declared }))).toBe(bytes);
});
