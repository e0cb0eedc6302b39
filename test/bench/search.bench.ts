// search in the runner, beside bare ripgrep for the same work on the same tree of 20,000 files (207 MB), with the system's
// ripgrep and with the one of @vscode/ripgrep. One run, cases interleaved in random order after warm-up.
// `node test/bench/search.bench.ts [rounds] [directory to keep the tree in]`.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { search } from "../../container/runner/search/search.ts";
import type { SearchRequest } from "../../src/contract/search.ts";

const rounds = Number(process.argv[2] ?? 40);
const kept = process.argv[3];
const tree = kept ?? mkdtempSync(join(tmpdir(), "search-bench-"));
if (!existsSync(join(tree, "d0"))) makeTree(tree);

const plain: SearchRequest = {
  mode: "content",
  pattern: "",
  path: ".",
  globs: [],
  type: null,
  literal: false,
  ignore_case: false,
  multiline: false,
  before: 0,
  after: 0,
  hidden: false,
  no_ignore: false,
  limit: 250,
  offset: 0,
  line_chars: 400,
  page_chars: 36_000,
};

/** Ends ripgrep after `lines`, as anyone does who wants only the first hits. */
async function bare(program: string, args: string[], lines = Number.POSITIVE_INFINITY): Promise<void> {
  const child = spawn(program, ["--no-config", ...args], { cwd: tree, stdio: ["ignore", "pipe", "ignore"] });
  let seen = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 0x0a) seen += 1;
    if (seen >= lines) child.kill("SIGKILL");
  });
  await once(child, "close");
}

async function ours(program: string, request: Partial<SearchRequest>): Promise<void> {
  const found = await search({ ...plain, ...request }, { workspace: tree, home: tree, ripgrep: program });
  if (!found.ok) throw new Error(JSON.stringify(found.failure));
}

const works: [string, string[], number | undefined, Partial<SearchRequest>][] = [
  [
    "rare literal",
    ["-n", "-F", "needle_of_the_bench", "."],
    undefined,
    { pattern: "needle_of_the_bench", literal: true },
  ],
  ["regex, first 250", ["-n", "handler_\\d+", "."], 250, { pattern: "handler_\\d+" }],
  [
    "files with a rare match",
    ["-l", "needle_of_the_bench", "."],
    undefined,
    { mode: "files_with_matches", pattern: "needle_of_the_bench" },
  ],
  ["count of 10,000 hits", ["-c", "handler_\\d+", "."], undefined, { mode: "count", pattern: "handler_\\d+" }],
  ["names, 667 of 20,000", ["--files", "-g", "*8.py", "."], undefined, { mode: "names", pattern: "*8.py" }],
  ["no hit (and why)", ["-n", "not_in_this_tree", "."], undefined, { pattern: "not_in_this_tree" }],
];

const cases: Record<string, () => Promise<void>> = {};
const system = spawnSync("rg", ["--version"]).status === 0 ? ["rg"] : [];
for (const program of [...system, rgPath]) {
  const by = program === "rg" ? "system" : "@vscode";
  for (const [name, args, lines, request] of works) {
    cases[`${name} | ${by} rg, bare`] = () => bare(program, args, lines);
    cases[`${name} | ${by} rg, ours`] = () => ours(program, request);
  }
}

const times = new Map<string, number[]>();
for (let round = -3; round < rounds; round += 1) {
  for (const [name, work] of Object.entries(cases).sort(() => Math.random() - 0.5)) {
    const start = performance.now();
    await work();
    if (round >= 0) times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
  }
}
for (const name of Object.keys(cases)) {
  const sorted = (times.get(name) ?? []).toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
  console.log(`${name.padEnd(46)} p50 ${at(0.5).padStart(7)} ms   p95 ${at(0.95).padStart(7)} ms`);
}
if (kept === undefined) rmSync(tree, { recursive: true });

function makeTree(root: string): void {
  let seed = 1;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  const words = Array.from({ length: 3_000 }, () => Math.floor(random() * 1e9).toString(36));
  const word = () => words[Math.floor(random() * words.length)] ?? "";
  const extensions = ["ts", "js", "py", "md", "json", "go"];
  for (let file = 0; file < 20_000; file += 1) {
    const directory = join(root, `d${file % 30}/s${Math.floor(file / 30) % 25}`);
    mkdirSync(directory, { recursive: true });
    let text = "";
    while (text.length < 10_350) text += `${Array.from({ length: 12 }, word).join(" ")}\n`;
    if (file % 2 === 0) text += `function handler_${file}(request) {\n`;
    if (file % 5_000 === 7) text += "here is needle_of_the_bench\n";
    writeFileSync(join(directory, `f${file}.${extensions[file % extensions.length]}`), text);
  }
}
