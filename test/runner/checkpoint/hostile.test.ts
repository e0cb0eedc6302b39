// Hostile and damaged archives: whatever is in one, nothing outside the kept directories is touched, and nothing inside them is
// touched unless all of the archive is sound.

import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { unwrap } from "../runner-under-test.ts";
import { type Layer, type MachineUnderTest, machineUnderTest } from "./machine-under-test.ts";

let machine: MachineUnderTest;
let outside: string;
beforeAll(async () => {
  machine = await machineUnderTest();
  outside = join(machine.root, "outside");
});
beforeEach(() => {
  machine.renew();
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, "secret"), "secret");
});
afterAll(() => machine.stop());

/** Python's tarfile writes entries that GNU tar refuses to write. `WS` is the path of the workspace in the archive. */
function layerOf(python: string, removed: string[] = []): Layer {
  const workspace = machine.workspace.slice(1);
  const script = `
import tarfile, io, sys
t = tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.PAX_FORMAT)
WS = ${JSON.stringify(workspace)}
OUT = ${JSON.stringify(outside)}
def add(name, kind=tarfile.REGTYPE, link="", text=b"hostile"):
    i = tarfile.TarInfo(name); i.type = kind; i.linkname = link; i.mode = 0o755
    data = text if kind == tarfile.REGTYPE else b""
    i.size = len(data); t.addfile(i, io.BytesIO(data))
add(WS, tarfile.DIRTYPE)
add(WS + "/sound")
${python}
t.close()`;
  const archive = execFileSync("python3", ["-c", script]);
  const manifest = zstdCompressSync(
    Buffer.from(
      [`${workspace}//d 755 1.0 0 0 0\0`, ...removed.map((path) => `${path.replace("WS", workspace)}//-\0`)].join(""),
    ),
  );
  const bytes = Buffer.concat([manifest, zstdCompressSync(archive)]);
  const made = { parent: null, archive: null, files: 1, added: 1, changed: 0, removed: 0 };
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { id: randomUUID(), made, bytes, manifestBytes: manifest.length, sha256 };
}

async function restoreAll(...layers: Layer[]): Promise<void> {
  const session = randomUUID();
  for (const layer of layers) unwrap(await machine.send(session, layer));
  unwrap(await machine.runner.call("checkpoint-restore", { session, layers: layers.map(({ id }) => id), more: [] }));
}

const untouched = (): void => {
  expect(machine.sh(`cd ../outside; find . -printf "%p %y %m\\n" | sort; cat secret`)).toBe(
    ". d 755\n./secret f 644\nsecret",
  );
  expect(existsSync("/tmp/hostile")).toBe(false);
};

test.each([
  ["an absolute name", 'add("/tmp/hostile"); add(OUT + "/new")'],
  ["names with ..", 'add(WS + "/../outside/new"); add("../../../../../../../../../tmp/hostile")'],
  [
    "a link out, and a file through it",
    'add(WS + "/l", tarfile.SYMTYPE, OUT); add(WS + "/l/new"); add(WS + "/l/secret")',
  ],
  ["a link to .., and a file through it", 'add(WS + "/l", tarfile.SYMTYPE, "../outside"); add(WS + "/l/new")'],
  [
    "a chain of links",
    'add(WS + "/a", tarfile.SYMTYPE, ".."); add(WS + "/b", tarfile.SYMTYPE, "a/outside"); add(WS + "/b/new")',
  ],
  ["a hard link out, written through", 'add(WS + "/h", tarfile.LNKTYPE, OUT + "/secret"); add(WS + "/h")'],
  ["a hard link out by ..", 'add(WS + "/h", tarfile.LNKTYPE, WS + "/../outside/secret"); add(WS + "/h")'],
  [
    "a hard link through a link",
    'add(WS + "/l", tarfile.SYMTYPE, OUT); add(WS + "/h", tarfile.LNKTYPE, WS + "/l/secret"); add(WS + "/h")',
  ],
  ["a link in place of the workspace", 'add(WS, tarfile.SYMTYPE, OUT); add(WS + "/new")'],
  [
    "a directory that is made a link again",
    'add(WS + "/d", tarfile.DIRTYPE); add(WS + "/d", tarfile.SYMTYPE, OUT); add(WS + "/d/new")',
  ],
])("%s", async (_, python) => {
  await restoreAll(layerOf(python));
  untouched();
});

test.each([
  ["a file", 'add(WS + "/l/new"); add(WS + "/l/secret")', []],
  ["a directory", 'add(WS + "/l", tarfile.DIRTYPE); add(WS + "/l/new", tarfile.DIRTYPE)', []],
  ["a removal", "pass", ["WS/l/secret"]],
  ["a removal with ..", "pass", ["WS/../outside/secret", "WS/l/../outside"]],
])("%s of a later layer, through a link of an earlier one", async (_, python, removed) => {
  await restoreAll(layerOf('add(WS + "/l", tarfile.SYMTYPE, OUT)'), layerOf(python, removed));
  untouched();
});

const sound = () => layerOf('add(WS + "/new")');

test.each<[string, (layer: Layer) => Layer]>([
  ["one bit is another", (layer) => ({ ...layer, bytes: flipped(layer.bytes) })],
  ["the end is missing", (layer) => ({ ...layer, bytes: layer.bytes.subarray(0, -20) })],
  ["there is more of it", (layer) => ({ ...layer, bytes: Buffer.concat([layer.bytes, Buffer.from("x")]) })],
  ["it is nothing", (layer) => ({ ...layer, bytes: Buffer.alloc(0) })],
  ["its manifest ends elsewhere", (layer) => ({ ...layer, manifestBytes: layer.manifestBytes - 3 })],
])("damage is noticed and nothing is changed when %s", async (_, harm) => {
  machine.sh("echo mine > mine");
  const layer = harm(sound());
  expect(unwrap(await machine.send("s", layer))).toMatchObject({ damage: expect.any(String) });
  const finished = await machine.runner.call("checkpoint-restore", { session: "s", layers: [layer.id], more: [] });
  expect(finished).toMatchObject({ ok: false, failure: { reason: "checkpoint_failed" } });
  expect(machine.sh("ls; cat mine")).toBe("mine\nmine\n");
});

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.length - 10;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

test.each([
  ["is a symlink", (path: string) => `rm -r ${path}; ln -s ${outside} ${path}`, "is a symlink"],
  ["is a file", (path: string) => `rm -r ${path}; touch ${path}`, "is a file"],
])("a workspace that %s is neither read nor replaced", async (_, spoil, words) => {
  const layer = sound();
  execFileSync("bash", ["-c", spoil(machine.workspace)]);
  const refused = { ok: false, failure: { reason: "checkpoint_failed", message: expect.stringContaining(words) } };
  expect(await machine.create([])).toMatchObject(refused);
  unwrap(await machine.send("s", layer));
  expect(await machine.runner.call("checkpoint-restore", { session: "s", layers: [layer.id], more: [] })).toMatchObject(
    refused,
  );
  expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
});

test("checkpoint-restore reports what tar cannot create, and restores the rest", async () => {
  const layer = layerOf('add(WS + "/h", tarfile.LNKTYPE, WS + "/nowhere"); add(WS + "/after")');
  expect(unwrap(await machine.send("s", layer))).toEqual({
    damage: null,
    trouble: expect.stringContaining("nowhere"),
    stored_as: null,
  });
  unwrap(await machine.runner.call("checkpoint-restore", { session: "s", layers: [layer.id], more: [] }));
  expect(machine.sh("ls")).toBe("after\nsound\n");
});

test("a checkpoint in a machine that cannot start a program fails with the reason, and works when it can again", async () => {
  const { runner } = machine;
  const pid = String(runner.child.pid);
  unwrap(await runner.call("info", {}));
  const open = readdirSync(`/proc/${pid}/fd`).length;
  // The connection that is open already is used for the next call.
  execFileSync("prlimit", ["--pid", pid, `--nofile=${open}:`]);
  try {
    expect(await machine.create([])).toMatchObject({
      failure: {
        reason: "checkpoint_failed",
        message: "the machine cannot start another program (EMFILE); end processes that are not needed",
      },
    });
  } finally {
    execFileSync("prlimit", ["--pid", pid, "--nofile=4096:"]);
  }
  expect(unwrap(await machine.create([]))).toMatchObject({ parent: null });
});
