// Which layer of a chain a new one is relative to, by the sizes alone.

import { expect, test } from "vitest";
import { chooseParent } from "../../../container/runner/checkpoint/choose-parent.ts";
import { limits } from "../../../src/contract/limits.ts";

const MB = 1_000_000;
const full = limits.checkpointChainMax;
const long = (bytes: number) => Array.from({ length: full }, () => bytes);

test.each([
  ["the last layer, while the chain is short and small", [100 * MB, 1], [3, 2], 100 * MB, 1],
  ["the last layer, when it is larger than its base", [1, 100 * MB], [100 * MB, 2], 100 * MB, 1],
  [
    "the base, when the layers after it only repeat themselves",
    [30 * MB, 30 * MB, 30 * MB],
    [30, 30, 30].map((n) => n * MB),
    50 * MB,
    0,
  ],
  ["nothing, when almost all of the chain is superseded", [100 * MB, 1], [20, 10], 1 * MB, -1],
  [
    "an earlier layer, when the chain is full: the one that is cheapest for each layer replaced",
    [1000 * MB, ...long(1).slice(1)],
    long(1).map((_, index) => (index < 5 ? 50 * MB : full - index)),
    1000 * MB,
    5,
  ],
  [
    "the base, when the chain is full and everything else is small",
    [1000 * MB, ...long(1).slice(1)],
    long(1),
    1000 * MB,
    0,
  ],
])("chooseParent() chooses %s", (_, layers, deltas, all, parent) => {
  expect(chooseParent({ layers, deltas, full: all })).toBe(parent);
});

test("chooseParent() keeps what is stored again in proportion to what changes, over many checkpoints", () => {
  // Every checkpoint changes a file that is not in any layer before it, so that nothing is ever superseded.
  const [base, change] = [1000 * MB, 0.01 * MB];
  let layers = [base];
  let [stored, changed] = [0, 0];
  for (let count = 1; count <= 2_000; count += 1) {
    const deltas = layers.map((_, index) => change + layers.slice(index + 1).reduce((sum, bytes) => sum + bytes, 0));
    const parent = chooseParent({ layers, deltas, full: base + count * change });
    const delta = deltas[parent] ?? base + count * change;
    layers = [...layers.slice(0, parent + 1), delta];
    expect(layers.length).toBeLessThanOrEqual(full);
    stored += delta;
    changed += change;
  }
  expect(stored / changed).toBeLessThan(12);
});
