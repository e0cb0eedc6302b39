// Lists of many checkpoints come in pages, and no named one is hidden.

import { expect, test } from "vitest";
import type { CheckpointInfo } from "../../src/contract/checkpoint.ts";
import { limits } from "../../src/contract/limits.ts";
import { formatCheckpointList, pageOfCheckpoints } from "../../tools/sandbox/format-checkpoint.ts";

const NAMED = 140;
const all: CheckpointInfo[] = Array.from({ length: 150 }, (_, number) => ({
  ...{ id: `c${number}`, created_at: 0, bytes: 1, files: 1, added: 1, changed: 0, removed: 0 },
  ...(number === NAMED ? { name: "release", kind: "named" as const } : { name: null, kind: "automatic" as const }),
}));

const idsFrom = (first: number, count: number): string[] => all.slice(first, first + count).map(({ id }) => id);

test.each([
  ["the newest", null, [...idsFrom(0, limits.checkpointsListed), "c140"], 99, "c50"],
  ["those from one on", "c50", [...idsFrom(50, limits.checkpointsListed), "c140"], 49, "c100"],
  ["the last", "c100", idsFrom(100, 50), 0, null],
  ["those from a name on", "release", idsFrom(NAMED, 10), 0, null],
])("pageOfCheckpoints() shows %s", (_, from, shown, omitted, next) => {
  const page = pageOfCheckpoints(all, from);
  expect([page?.shown.map(({ id }) => id), page?.omitted, page?.next]).toEqual([shown, omitted, next]);
});

test("pageOfCheckpoints() is null from a checkpoint that does not exist", () => {
  expect(pageOfCheckpoints(all, "nowhere")).toBeNull();
});

test("formatCheckpointList() says how the list goes on", () => {
  const page = pageOfCheckpoints(all, null);
  if (page === null) throw new Error("no page");
  const text = formatCheckpointList({ checkpoints: all, used_bytes: 1, quota_bytes: 100 }, page, 0);
  expect(text.split("\n").slice(-3)).toEqual([
    expect.stringMatching(/^c140 "release", just now:/),
    '99 older automatic ones: sandbox {action: "checkpoints", checkpoint: "c50"}',
    "1 B of 100 B used.",
  ]);
});
