// The text of diffs that no runner of this version makes, or that take too much to make.

import { expect, test } from "vitest";
import { CheckpointDiff } from "../../src/contract/checkpoint.ts";
import { formatDiff } from "../../tools/sandbox/format-diff.ts";

const none = { added: [], changed: [], removed: [], added_count: 0, changed_count: 0, removed_count: 0 };
const request = { from: "a", to: "b", path: null };

test.each([
  [
    "of an older runner",
    { ...none, added: ["/w/f"], added_count: 1, text: null },
    null,
    "From a to b: 1 added, 0 changed, 0 removed\nA /w/f",
  ],
  ["of an older runner, with the same text", { ...none, text: "" }, "f", "From a to b, f is the same."],
  ["of an older runner, with another text", { ...none, text: "-1\n+2\n" }, "f", "-1\n+2\n"],
  [
    "with more paths than are listed",
    { ...none, removed: ["/w/f"], removed_count: 3, text: null },
    null,
    "From a to b: 0 added, 0 changed, 3 removed\nD /w/f\nD [… 2 paths omitted]",
  ],
])("formatDiff() words one %s", (_, diff, path, text) => {
  expect(formatDiff(CheckpointDiff.parse(diff), { ...request, path })).toBe(text);
});
