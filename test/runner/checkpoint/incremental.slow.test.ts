// What a checkpoint contains and reports, and that changes during it do no harm.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { STREAM_PATHS } from "../../../src/contract/checkpoint-layer.ts";
import { limits } from "../../../src/contract/limits.ts";
import { endWithTests } from "../../end-with-tests.ts";
import { unwrap } from "../runner-under-test.ts";
import { type Layer, type MachineUnderTest, machineUnderTest } from "./machine-under-test.ts";

let machine: MachineUnderTest;
beforeAll(async () => {
  machine = await machineUnderTest();
});
beforeEach(() => machine.renew());
afterAll(() => machine.stop());

async function taken(parents: readonly string[]): Promise<Layer> {
  const layer = await machine.take(parents);
  if (layer === null) throw new Error("nothing changed");
  return layer;
}

const manyFiles = "mkdir m; cd m; for i in $(seq 2000); do echo $RANDOM$RANDOM$i > f$i; done";

test("checkpoint-create counts files, and puts only what changed into a delta", async () => {
  machine.sh(manyFiles);
  const base = await taken([]);
  expect(base.made).toMatchObject({ parent: null, files: 2000, added: 2000, changed: 0, removed: 0 });
  machine.sh("echo x > m/f7; rm m/f8 m/f9; mkdir n; echo > n/new");
  const delta = await taken([base.id]);
  expect(delta.made).toMatchObject({ parent: base.id, files: 1999, added: 1, changed: 1, removed: 2 });
  expect(delta.bytes.length).toBeLessThan(2_000);
  expect(await machine.take([delta.id])).toBeNull();
});

test("checkpoint-create makes a delta after a restore", async () => {
  machine.sh(manyFiles);
  const base = await taken([]);
  machine.renew();
  await machine.restore([base]);
  expect(await machine.take([base.id])).toBeNull();
  machine.sh("echo x > m/f7");
  const delta = await taken([base.id]);
  expect(delta.made).toMatchObject({ parent: base.id, changed: 1, added: 0, removed: 0 });
  expect(delta.bytes.length).toBeLessThan(2_000);
});

test("checkpoint-create makes a full archive when the machine does not know the parent", async () => {
  machine.sh("echo > a");
  expect((await taken(["another"])).made).toMatchObject({ parent: null, files: 1 });
});

test("checkpoint-create can build on a checkpoint that was stored but not confirmed", async () => {
  machine.sh("echo > a");
  unwrap(await machine.runner.call("checkpoint-create", { id: "lost", parents: [], more: [] }));
  machine.sh("echo > b");
  const next = await machine.runner.call("checkpoint-create", { id: "next", parents: ["lost"], more: [] });
  expect(unwrap(next)).toMatchObject({ parent: "lost", added: 1 });
});

test("checkpoint-create does not build on a checkpoint that was not stored", async () => {
  machine.sh("echo > a");
  unwrap(await machine.runner.call("checkpoint-create", { id: "unstored", parents: [], more: [] }));
  const next = await machine.runner.call("checkpoint-create", { id: "next", parents: [], more: [] });
  expect(unwrap(next)).toMatchObject({ parent: null, files: 1 });
});

test("checkpoint-create succeeds when files change during it, and the next checkpoint has the changes", async () => {
  machine.sh("mkdir d; for i in $(seq 200); do head -c 100000 /dev/urandom > d/f$i; done");
  const script =
    "while :; do i=$((RANDOM % 200)); head -c 50000 /dev/urandom > d/f$i; rm -f d/g$i; echo > d/g$((RANDOM % 200)); done";
  const endWriter = startWriter(script);
  const layers: Layer[] = [];
  try {
    while (layers.length < 5) {
      const layer = await machine.take(layers.map(({ id }) => id).reverse());
      // On a busy host the writer may not have had its turn.
      if (layer !== null) layers.push(layer);
    }
  } finally {
    await endWriter();
  }
  const last = await machine.take(layers.map(({ id }) => id).reverse());
  if (last !== null) layers.push(last);
  const before = machine.tree();
  machine.renew();
  await machine.restore(layers);
  expect(machine.tree()).toEqual(before);
});

test("checkpoint-create succeeds while directories vanish and entries change their kind, as a delta", async () => {
  machine.sh("mkdir d; for i in $(seq 3000); do echo $i > d/f$i; done");
  const scripts = [
    "while :; do rm -rf t; mkdir -p t/a/b/c; for i in 1 2 3 4 5 6; do echo $i > t/a/b/c/$i; done; rm -rf t; echo > t; rm t; ln -s . t; done",
    "while :; do for i in 1 2 3 4 5; do rm -rf u$i; echo x > u$i; rm u$i; mkdir u$i; mkfifo u$i/p; done; done",
    "while :; do head -c 300000 /dev/zero > big; : > big; chmod 0 d/f1; chmod 600 d/f1; mv d/f2 d/moved; mv d/moved d/f2; done",
  ];
  const endWriters = scripts.map(startWriter);
  const layers = [await taken([])];
  try {
    for (let round = 0; round < 8; ) {
      const layer = await machine.take(layers.map(({ id }) => id).reverse());
      // On a busy host the writers may not have had their turn.
      if (layer === null) continue;
      round += 1;
      expect(layer.made.parent).not.toBeNull();
      expect(layer.bytes.length).toBeLessThan(20_000);
      const parent = layers.findIndex(({ id }) => id === layer.made.parent);
      layers.splice(parent + 1, layers.length, layer);
    }
  } finally {
    await Promise.all(endWriters.map((endWriter) => endWriter()));
  }
});

/** The function that is returned resolves when neither the script nor any program that it has started writes any more. */
function startWriter(script: string): () => Promise<void> {
  const writer = spawn("bash", ["-c", script], {
    cwd: machine.workspace,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  endWithTests(writer);
  // Every program of the script holds the pipe open.
  const ended = once(writer.stdout.resume(), "close");
  return async () => {
    process.kill(-(writer.pid ?? 0), "SIGKILL");
    await ended;
  };
}

test("checkpoint-restore replaces everything, and processes stay in their working directories", async () => {
  machine.sh("echo old > a; mkdir d");
  const layer = await taken([]);
  machine.sh("echo new > a; echo > b; rmdir d");
  const watcher = spawn("bash", ["-c", "read; ls; cat a"], { cwd: machine.workspace });
  let said = "";
  watcher.stdout.on("data", (data: Buffer) => {
    said += data.toString();
  });
  await machine.restore([layer]);
  watcher.stdin.end("\n");
  await new Promise((resolve) => watcher.once("close", resolve));
  expect(said).toBe("a\nd\nold\n");
});

test("a new restore session removes what an unfinished one left", async () => {
  machine.sh("echo > a");
  const layer = await taken([]);
  await machine.send("unfinished", layer);
  await machine.restore([layer]);
  const left = () => readdirSync(join(machine.root, "state/restore"));
  await expect.poll(left).toEqual([]);
});

test("info() names the restored layer, so that it is not restored twice", async () => {
  machine.sh("echo > a");
  const layer = await taken([]);
  await machine.restore([layer]);
  expect(unwrap(await machine.runner.call("info", {}))).toMatchObject({ restored: layer.id });
});

test("the runner answers other calls while a large checkpoint is taken", async () => {
  machine.sh("for i in 1 2 3 4; do head -c 20000000 /dev/urandom > f$i; done");
  const making = machine.create([]);
  let answered = 0;
  for (let isDone = false; !isDone; answered += 1) {
    await machine.runner.call("info", {});
    isDone = await Promise.race([making.then(() => true), delay(5, false)]);
  }
  // A runner that packed it itself would answer once, at the end.
  expect(answered).toBeGreaterThan(10);
});

test("the runner waits for the final checkpoint, and no longer, when its end is watched", async () => {
  const ending = await machineUnderTest();
  const watching = ending.runner.call("checkpoint-watch", { wait_ms: 60_000 });
  const exit = new Promise((resolve) => ending.runner.child.once("exit", resolve));
  // What was sent before it has arrived when this is answered.
  await ending.runner.call("info", {});
  ending.sh("echo > last");
  ending.runner.child.kill("SIGTERM");
  expect(unwrap(await watching)).toEqual({ ending: true });
  expect((await ending.take([]))?.made).toMatchObject({ files: 1 });
  await exit;
  await ending.stop();
});

test("the runner waits for the final checkpoint when another one is still being fetched", async () => {
  const ending = await machineUnderTest();
  const watching = ending.runner.call("checkpoint-watch", { wait_ms: 60_000 });
  ending.sh("head -c 30000000 /dev/urandom > large");
  const id = randomUUID();
  unwrap(await ending.runner.call("checkpoint-create", { id, parents: [], more: [] }));
  // Most of it stays in the machine until it is read.
  const response = await fetch(`${ending.runner.url}${STREAM_PATHS.archive}?id=${id}`);
  ending.sh("echo > last");
  ending.runner.child.kill("SIGTERM");
  expect(unwrap(await watching)).toEqual({ ending: true });
  // Longer than it waits for a server that does nothing.
  await delay(limits.checkpointEndingMs * 1.2);
  let bytes = 0;
  // The body of a response that is not referenced any more is cancelled.
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  expect(bytes).toBeGreaterThan(30_000_000);
  unwrap(await ending.runner.call("checkpoint-done", { id, keep: [id], chain: [id] }));
  const exit = new Promise((resolve) => ending.runner.child.once("exit", resolve));
  expect((await ending.take([id]))?.made).toMatchObject({ files: 2, added: 1 });
  await exit;
  await ending.stop();
});

test.each([
  ["nobody watches", null],
  ["the watch was given up", 0],
])("an end is at once when %s", async (_, wait_ms) => {
  const ending = await machineUnderTest();
  if (wait_ms !== null) await ending.runner.call("checkpoint-watch", { wait_ms });
  const startedAt = performance.now();
  const exit = new Promise((resolve) => ending.runner.child.once("exit", resolve));
  ending.runner.child.kill("SIGTERM");
  await exit;
  // It would wait at least this long for a checkpoint.
  expect(performance.now() - startedAt).toBeLessThan(limits.checkpointEndingMs);
  await ending.stop();
});

test("checkpoint-diff lists added, changed and removed paths", async () => {
  machine.sh("echo > a; echo > b; mkdir d");
  const base = await taken([]);
  const session = randomUUID();
  const url = `${machine.runner.url}/v1/checkpoint-manifest?${new URLSearchParams({ session, id: base.id, manifest_bytes: String(base.manifestBytes), sha256: base.sha256 })}`;
  await fetch(url, { method: "PUT", body: new Uint8Array(base.bytes.subarray(0, base.manifestBytes)) });
  machine.sh("echo x > a; rm b; rmdir d; mkdir e; touch $'odd\\xff'");
  const diff = await machine.runner.call("checkpoint-diff", {
    session,
    from: [base.id],
    to: null,
    path: null,
    more: [],
  });
  const at = (name: string) => join(machine.workspace, name);
  expect(unwrap(diff)).toEqual({
    added: [`${at("e")}/`, at("odd\ufffd")],
    changed: [at("a")],
    removed: [at("b"), `${at("d")}/`],
    added_count: 2,
    changed_count: 1,
    removed_count: 2,
    ...{ groups: [], renamed: [], renamed_count: 0, details: [], subject: null, file: null },
  });
});
