// What the status of a sandbox says about files that are not stored.

import { expect, test } from "vitest";
import { formatFilesStatus } from "../../tools/sandbox/format-files-status.ts";

const now = 1_000_000;
const idle = { unsaved_since: null, next_at: null, is_storing: false, problem: null };
const changed = { ...idle, unsaved_since: now - 12_000, next_at: now + 17_400 };

test.each([
  [idle, []],
  [{ ...idle, problem: "of a machine that is gone" }, []],
  [changed, ["There are unsaved changes, the first from 12 s ago; the next checkpoint is in about 18 s."]],
  [
    { ...idle, next_at: now + 5_000 },
    ["The next checkpoint, of what running processes write until then, is in about 5 s."],
  ],
  [
    { ...changed, next_at: null, is_storing: true },
    ["A checkpoint is being taken; there are unsaved changes, the first from 12 s ago."],
  ],
  [
    { ...changed, next_at: now + 120_000, problem: "the disk is full" },
    [
      "The files could not be stored: the disk is full. The next attempt is in about 2 min; there are unsaved changes, the first from 12 s ago.",
    ],
  ],
])("formatFilesStatus(%j) is %j", (status, lines) => {
  expect(formatFilesStatus(status, now)).toEqual(lines);
});
