// Which checkpoints are dropped, by their number, their names and the quota.

import { beforeEach, expect, test } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import type { CheckpointIndex } from "../../../src/sandbox/checkpoints/checkpoint-index.ts";
import { dropSurplus, newCheckpointId } from "../../../src/sandbox/checkpoints/retention.ts";
import { openStores } from "../../../src/sandbox/sandbox-stores.ts";
import { memoryStorage } from "../memory-sql.ts";

let index: CheckpointIndex;
beforeEach(() => {
  index = openStores(memoryStorage(), "alice/default").checkpointIndex;
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Half past an hour, in the middle of a day of UTC. */
const NOW = 20_000 * DAY + 12.5 * HOUR;

/** Adds a checkpoint on a layer of its own; each is newer than the one before. */
function add(id: string, { name = null as string | null, bytes = 1, age = 0 } = {}): void {
  const layer = `layer-${id}`;
  const row = { parent: null, key: layer, bytes, manifest_bytes: 1, sha256: "", shared: 0, mark: null };
  index.adopt({ id: layer, ...row });
  const counts = { bytes, files: 1, added: 1, changed: 0, removed: 0 };
  index.add({ id, name, kind: name === null ? "automatic" : "named", created_at: NOW - age, layer, ...counts });
}

const ids = () => index.list({ damaged: true }).map(({ id }) => id);
const drop = () => dropSurplus(index, NOW);

test("dropSurplus() keeps every named checkpoint, and all automatic ones of the last hour", () => {
  add("named", { name: "kept", age: 400 * DAY });
  const recent = Array.from({ length: 119 }, (_, number) => `a${number}`);
  for (const [number, id] of recent.entries()) add(id, { age: (119 - number) * 30_000 });
  drop();
  expect(ids()).toEqual([...recent.toReversed(), "named"]);
});

test("dropSurplus() keeps the last of each hour for a day, and the last of each day for a week", () => {
  for (let age = 10 * DAY; age >= 0; age -= 10 * MINUTE) add(`m${age / MINUTE}`, { age });
  drop();
  const ages = ids().map((id) => Number(id.slice(1)) * MINUTE);
  expect(ages.filter((age) => age < HOUR)).toEqual([0, 10, 20, 30, 40, 50].map((minutes) => minutes * MINUTE));
  // The current hour began half an hour ago; the one before it has only the part that is older than an hour.
  expect(ages.filter((age) => age >= HOUR && age < DAY)).toEqual(
    [60, ...Array.from({ length: 23 }, (_, hour) => 100 + hour * 60)].map((minutes) => minutes * MINUTE),
  );
  const daily = ages.filter((age) => age >= DAY);
  expect(daily.map((age) => Math.floor((NOW - age) / DAY))).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => 20_000 - day));
  expect(daily.slice(1).every((age) => (NOW - age + 10 * MINUTE) % DAY === 0)).toBe(true);
});

test("dropSurplus() keeps the last of each slot when it runs after every checkpoint, as it does", () => {
  const all: number[] = [];
  for (let at = NOW - 4 * DAY; at <= NOW; at += 7 * MINUTE) {
    all.push(at);
    add(`t${at}`, { age: NOW - at });
    dropSurplus(index, at);
  }
  const kept = ids().map((id) => Number(id.slice(1)));
  const lastOf = (slotMs: number, slot: number) => all.filter((at) => Math.floor(at / slotMs) === slot).at(-1);
  const thisHour = Math.floor(NOW / HOUR);
  for (let hour = thisHour - 23; hour < thisHour - 1; hour += 1) expect(kept).toContain(lastOf(HOUR, hour));
  for (let day = 20_000 - 3; day < 20_000 - 1; day += 1) expect(kept).toContain(lastOf(DAY, day));
  expect(kept.length).toBeLessThan(9 + 24 + 5);
});

test("dropSurplus() keeps a bounded number of the last hour", () => {
  for (let number = 0; number <= limits.checkpointsKeepAllMax + 5; number += 1) add(`a${number}`, { age: MINUTE });
  drop();
  // The last of those that are too many stands for its hour.
  expect(ids()).toHaveLength(limits.checkpointsKeepAllMax + 1);
});

test("dropSurplus() leaves the layers of what it drops to the sweep, except those that others build on", () => {
  add("old", { age: 10 * DAY });
  index.adopt({ ...layerOf("child"), parent: "layer-old" });
  index.add({ ...checkpointOf("child"), layer: "child" });
  add("older", { age: 9 * DAY });
  add("newest");
  drop();
  expect(ids()).toEqual(["newest", "child"]);
  expect(index.unused().map(({ id }) => id)).toEqual(["layer-older"]);
});

const layerOf = (id: string) => ({
  ...{ id, parent: null, key: id, bytes: 1, manifest_bytes: 1, sha256: "", shared: 0, mark: null },
});
const checkpointOf = (id: string) => ({
  ...{ id, name: null, kind: "automatic" as const, created_at: NOW, layer: id },
  ...{ bytes: 1, files: 1, added: 1, changed: 0, removed: 0 },
});

test("dropSurplus() drops the oldest automatic checkpoints until the rest is under the quota", () => {
  const third = Math.floor(limits.checkpointsQuotaBytes / 3);
  for (const id of ["a0", "a1", "a2", "a3"]) add(id, { bytes: third });
  drop();
  expect(ids()).toEqual(["a3", "a2", "a1"]);
});

test("dropSurplus() keeps the newest and the named over the quota", () => {
  add("named", { name: "kept", bytes: limits.checkpointsQuotaBytes });
  add("old", { bytes: 10 });
  add("newest", { bytes: limits.checkpointsQuotaBytes });
  drop();
  expect(ids()).toEqual(["newest", "named"]);
});

test("dropSurplus() keeps the newest of all, and of an hour the newest intact one", () => {
  add("sound of the hour", { age: 5.2 * HOUR });
  const damaged = Array.from({ length: 5 }, (_, number) => `d${number}`);
  for (const id of damaged) add(id, { age: 5.1 * HOUR });
  for (const id of damaged) index.markDamaged(`layer-${id}`);
  drop();
  expect(ids()).toEqual(["d4", "sound of the hour"]);
});

test("dropSurplus() keeps the newest intact checkpoint however old it is", () => {
  add("sound", { age: 20 * DAY });
  add("damaged");
  index.markDamaged("layer-damaged");
  drop();
  expect([ids(), index.newest()?.id]).toEqual([["damaged", "sound"], "sound"]);
});

test("newCheckpointId() is short, and no name that a checkpoint has", () => {
  expect(newCheckpointId(index)).toMatch(/^c[0-9a-f]{6}$/);
});
