// How layers follow one another: chains stay short and small, each checkpoint has what it should, and a large layer is not stored
// again because of a small change.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { type Layer, type MachineUnderTest, machineUnderTest } from "./machine-under-test.ts";

let machine: MachineUnderTest;
beforeAll(async () => {
  machine = await machineUnderTest();
});
beforeEach(() => machine.renew());
afterAll(() => machine.stop());

/** Takes a checkpoint after those of the chain, base first, and returns the new chain. */
async function extend(chain: readonly Layer[]): Promise<Layer[]> {
  const layer = await machine.take(chain.map(({ id }) => id).reverse());
  if (layer === null) throw new Error("nothing changed");
  return [...chain.slice(0, chain.findIndex(({ id }) => id === layer.made.parent) + 1), layer];
}

const bytesOf = (chain: readonly Layer[]): number => chain.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** Replaces the machine, and compares what the chain brings back with what was there. */
async function expectRestores(chain: readonly Layer[]): Promise<void> {
  const before = machine.tree();
  machine.renew();
  await machine.restore(chain);
  expect(machine.tree()).toEqual(before);
}

/** Changes of every kind, some of which undo those of earlier rounds. */
const changes = (round: number): string => `
  n=${round}
  echo $n > always; echo $n > "f$((n % 7))"; rm -f "f$((n * 3 % 7))"
  rm -rf kind; case $((n % 4)) in 0) echo > kind;; 1) mkdir -p kind/deep; echo > kind/deep/f;; 2) ln -s always kind;; 3) mkfifo kind;; esac
  rm -rf "d$((n % 3))"; mkdir -p "d$((n % 5))/e/e"; echo $n > "d$((n % 5))/e/e/$n"; chmod "7$((n % 8))0" "d$((n % 5))"
  rm -f hard1; ln always hard1; [ $((n % 6)) != 0 ] || mv "d$((n % 5))" "moved$n"`;

test("checkpoint-create keeps a chain short, whatever changes, also after restores", { timeout: 300_000 }, async () => {
  machine.sh("mkdir tree; for i in $(seq 300); do echo $i > tree/$i; done");
  let chain = await extend([]);
  const lengths = new Set<number>();
  for (let round = 0; round < 44; round += 1) {
    machine.sh(changes(round));
    chain = await extend(chain);
    lengths.add(chain.length);
    if (round % 12 === 7) await expectRestores(chain);
  }
  await expectRestores(chain);
  expect(Math.max(...lengths)).toBe(limits.checkpointChainMax);
  expect(lengths).not.toContain(1);
});

test("checkpoint-create stores only the change after a layer that is larger than its base", async () => {
  machine.sh("echo > a");
  const base = await extend([]);
  machine.sh("mkdir m; head -c 10000000 /dev/urandom | split -a 4 -b 10000 - m/");
  let chain = await extend(base);
  expect(chain.at(-1)?.bytes.length).toBeGreaterThan(limits.checkpointChainFreeBytes);
  for (let round = 0; round < 20; round += 1) {
    machine.sh(`echo ${round} > a`);
    chain = await extend(chain);
    expect(chain.at(-1)?.bytes.length).toBeLessThan(20_000);
  }
  await expectRestores(chain);
});

test("checkpoint-create replaces layers whose files were all written again", async () => {
  machine.sh("mkdir m; head -c 10000000 /dev/urandom | split -b 100000 - m/");
  let chain = await extend([]);
  for (let round = 0; round < 20; round += 1) {
    machine.sh("head -c 4000000 /dev/urandom > m/aa");
    chain = await extend(chain);
    expect(chain.at(-1)?.bytes.length).toBeLessThan(4_200_000);
    expect(bytesOf(chain)).toBeLessThan(2 * 14_000_000 + limits.checkpointChainFreeBytes);
  }
  await expectRestores(chain);
});

test("checkpoint-create stores everything once more when the chain holds little else than what was removed", async () => {
  machine.sh("echo > a; head -c 30000000 /dev/urandom > big");
  let chain = await extend([]);
  machine.sh("rm big");
  chain = await extend(chain);
  expect(chain).toHaveLength(1);
  expect(bytesOf(chain)).toBeLessThan(2_000);
  await expectRestores(chain);
});

test("checkpoint-create reports differences from the checkpoint before it, also when it replaces layers", async () => {
  machine.sh("echo > a");
  let chain = await extend([]);
  for (let round = 0; round < 2 * limits.checkpointChainMax; round += 1) {
    machine.sh(`echo > f${round}`);
    chain = await extend(chain);
    expect(chain.at(-1)?.made).toMatchObject({ files: round + 2, added: 1, changed: 0, removed: 0 });
  }
});
