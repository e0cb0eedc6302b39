// The file operations beside the bare calls of Node they cannot be faster than, turn by turn in one run:
// node test/bench/file.bench.ts

import { readFileSync, writeFileSync } from "node:fs";
import { open, readFile, rename, writeFile } from "node:fs/promises";
import { fileOperations, filesUnderTest, replace } from "../runner/file/files-under-test.ts";

const TURNS = 200;
using files = filesUnderTest();
const { roots } = files;
const mebibyte = `${"x".repeat(63)}\n`.repeat(16_384);
const source = Array.from(
  { length: 5_000 },
  (_, index) => `  const value${index} = compute(${index}, "some text");\n`,
).join("");
for (const name of ["read", "write", "bare"]) writeFileSync(files.path(name), mebibyte);
writeFileSync(files.path("edit"), source);

const read = { path: "read", offset: 1, limit: 2_000, column: 1, max_chars: 38_000, force_text: false };
const write = {
  path: "write",
  content: mebibyte,
  encoding: "utf-8",
  if_absent: false,
  expected_hash: null,
  dry_run: false,
} as const;

const groups: Record<string, Record<string, (turn: number) => Promise<unknown>>> = {
  "read 1 MiB": {
    "fs.readFile": () => readFile(files.path("read"), "utf8"),
    "file-read": () => fileOperations["file-read"](read, roots),
    "file-bytes 1 MiB": () => fileOperations["file-bytes"]({ path: "read", offset: 0, length: 1024 ** 2 }, roots),
  },
  "write 1 MiB": {
    "fs.writeFile": () => writeFile(files.path("bare"), mebibyte),
    "fs.writeFile, fsync": () => writeSynced(files.path("bare")),
    "write, fsync, rename, fsync": () => writeSafely(files.path("bare")),
    "file-write": () => fileOperations["file-write"](write, roots),
  },
  "edit 1 line of 5,000": {
    "read, replace, write": async () => {
      const text = await readFile(files.path("bare2"), "utf8").catch(() => source);
      await writeFile(files.path("bare2"), text.replace("compute(2500,", "compute(2500,"));
    },
    "file-edit": (turn) => {
      const [from, to] = turn % 2 === 0 ? ["some text", "other text"] : ["other text", "some text"];
      const edit = replace(`compute(2500, "${from}")`, `compute(2500, "${to}")`);
      return fileOperations["file-edit"]({ path: "edit", edits: [edit], expected_hash: null, dry_run: false }, roots);
    },
  },
};

async function writeSynced(path: string): Promise<void> {
  const handle = await open(path, "w");
  await handle.writeFile(mebibyte);
  await handle.sync();
  await handle.close();
}

async function writeSafely(path: string): Promise<void> {
  await writeSynced(`${path}.new`);
  await rename(`${path}.new`, path);
  const directory = await open(roots.workspace, "r");
  await directory.sync();
  await directory.close();
}

for (const [title, cases] of Object.entries(groups)) {
  const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, run] of Object.entries(cases)) {
      const started = performance.now();
      await run(turn);
      times.get(name)?.push(performance.now() - started);
    }
  }
  console.log(title);
  const base = percentile([...times.values()][0] ?? [], 0.5);
  for (const [name, each] of times) {
    const [p50, p95] = [percentile(each, 0.5), percentile(each, 0.95)];
    console.log(`  ${name.padEnd(28)} p50 ${p50.toFixed(2)} ms  p95 ${p95.toFixed(2)} ms  ${(p50 / base).toFixed(1)}x`);
  }
}
if (readFileSync(files.path("edit"), "utf8") !== source) throw new Error("An edit was lost");

function percentile(times: number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;
}
