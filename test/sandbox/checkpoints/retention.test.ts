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

/** Adds a checkpoint on a layer of its own; each is newer than the one before. */
function add(id: string, { name = null as string | null, bytes = 1 } = {}): void {
  const layer = `layer-${id}`;
  const row = { parent: null, key: layer, bytes, manifest_bytes: 1, sha256: "", shared: 0, mark: null };
  index.adopt({ id: layer, ...row });
  const counts = { bytes, files: 1, added: 1, changed: 0, removed: 0 };
  index.add({ id, name, kind: name === null ? "automatic" : "named", created_at: 0, layer, ...counts });
}

const ids = () => index.list({ damaged: true }).map(({ id }) => id);

test("dropSurplus() keeps the last automatic checkpoints and every named one", () => {
  add("named", { name: "kept" });
  const automatic = Array.from({ length: limits.checkpointsAutomaticMax + 3 }, (_, number) => `a${number}`);
  for (const id of automatic) add(id);
  dropSurplus(index);
  expect(ids()).toEqual([...automatic.slice(-limits.checkpointsAutomaticMax).reverse(), "named"]);
  expect(index.unused().map(({ id }) => id)).toEqual(["layer-a0", "layer-a1", "layer-a2"]);
});

test("dropSurplus() drops the oldest automatic checkpoints until the rest is under the quota", () => {
  const third = Math.floor(limits.checkpointsQuotaBytes / 3);
  for (const id of ["a0", "a1", "a2", "a3"]) add(id, { bytes: third });
  dropSurplus(index);
  expect(ids()).toEqual(["a3", "a2", "a1"]);
});

test("dropSurplus() keeps the newest and the named over the quota", () => {
  add("named", { name: "kept", bytes: limits.checkpointsQuotaBytes });
  add("old", { bytes: 10 });
  add("newest", { bytes: limits.checkpointsQuotaBytes });
  dropSurplus(index);
  expect(ids()).toEqual(["newest", "named"]);
});

test("dropSurplus() keeps the newest sound checkpoint when all after it are damaged", () => {
  add("sound");
  const damaged = Array.from({ length: limits.checkpointsAutomaticMax + 3 }, (_, number) => `d${number}`);
  for (const id of damaged) add(id);
  for (const id of damaged) index.markDamaged(`layer-${id}`);
  dropSurplus(index);
  expect(ids()).toContain("sound");
  expect(index.newest()?.id).toBe("sound");
});

test("newCheckpointId() is short, and no name that a checkpoint has", () => {
  expect(newCheckpointId(index)).toMatch(/^c[0-9a-f]{6}$/);
});
