// What a diff makes of very many differences: their number is right, and memory and lines are bounded.

import { expect, test } from "vitest";
import { Differences } from "../../../container/runner/checkpoint/differences.ts";
import { summarizeDifferences } from "../../../container/runner/checkpoint/summarize-differences.ts";
import { limits } from "../../../src/contract/limits.ts";

const meta = "f 644 1764567890.0000000000 100 0 0";
const COUNT = limits.checkpointDiffTracked + 50_000;

test("a directory stands for more files than are held in memory", () => {
  const differences = new Differences();
  differences.add({ path: "workspace/first", meta }, null);
  for (let number = 0; number < COUNT; number += 1) differences.add({ path: `workspace/big/${number}`, meta }, null);
  differences.add({ path: "workspace/last/a", meta }, null);
  expect(differences.removed).toHaveLength(limits.checkpointDiffTracked);
  expect(summarizeDifferences(differences, null, ["workspace"])).toMatchObject({
    removed_count: COUNT + 2,
    removed: ["/workspace/first"],
    groups: [
      { change: "removed", path: "/workspace/big/", files: COUNT, whole: false },
      { change: "removed", path: "/workspace/last/", files: 1, whole: false },
    ],
  });
});

test("directories stand for others where lists would be too long, and those that checkpoints keep come last", () => {
  const differences = new Differences();
  for (const directory of ["a", "b", "c"]) {
    for (let number = 0; number < limits.checkpointDiffNames; number += 1) {
      const path = `workspace/${directory}/d${String(number).padStart(3, "0")}/f`;
      differences.add({ path, meta }, { path, meta: meta.replace("100", "200") });
    }
  }
  const path = "workspace/single/deep/down/f";
  differences.add({ path, meta }, { path, meta: meta.replace("644", "600") });
  const { changed, groups, details } = summarizeDifferences(differences, null, ["workspace"]);
  expect(groups.map((group) => [group.path, group.files, group.whole])).toEqual(
    ["a", "b", "c"].map((directory) => [`/workspace/${directory}/`, limits.checkpointDiffNames, false]),
  );
  expect(changed).toEqual(["/workspace/single/deep/down/f"]);
  expect(details).toEqual([{ path: "/workspace/single/deep/down/f", what: "mode 644 -> 600" }]);
});
