// search, mode content: which lines are found and how they are shown.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SearchRequest } from "../../../src/contract/search.ts";
import { linesOf, makeTree } from "./tree.ts";

test.each<[string, Partial<SearchRequest>, Record<string, string | Buffer>, unknown]>([
  [
    "hits with their line numbers, files in order",
    {},
    { "b.txt": "x\nneedle\n", "a/z.txt": "needle here\n", "a.txt": "a needle\nanother needle\n", "c.txt": "none" },
    { "a/z.txt": ["1:needle here"], "a.txt": ["1:a needle", "2:another needle"], "b.txt": ["2:needle"] },
  ],
  [
    "a pattern with a leading dash",
    { pattern: "--files" },
    { "a.sh": "rg --files\n-e\n" },
    { "a.sh": ["1:rg --files"] },
  ],
  ["a pattern that is an option", { pattern: "-e" }, { "a.sh": "rg --files\n-e\n" }, { "a.sh": ["2:-e"] }],
  [
    "two spaces, quotes and semicolons",
    { pattern: `a  "b'; rm -rf $HOME`, literal: true },
    { "a.txt": `a "b'; rm -rf $HOME\na  "b'; rm -rf $HOME\n` },
    { "a.txt": [`2:a  "b'; rm -rf $HOME`] },
  ],
  [
    "a regular expression",
    { pattern: String.raw`ne+dle\d$` },
    { "a.txt": "needle1\nneedle\nneeeedle7\n" },
    { "a.txt": ["1:needle1", "3:neeeedle7"] },
  ],
  ["case as it is", {}, { "a.txt": "Needle\nneedle\n" }, { "a.txt": ["2:needle"] }],
  ["any case", { ignore_case: true }, { "a.txt": "Needle\nneedle\n" }, { "a.txt": ["1:Needle", "2:needle"] }],
  [
    "special characters literally",
    { pattern: "a.(b", literal: true },
    { "a.txt": "axb\na.(b\n" },
    { "a.txt": ["2:a.(b"] },
  ],
  [
    "the end of a line that ends with \\r\\n",
    { pattern: "^needle$" },
    { "a.txt": "needle\r\nneedles\r\n" },
    { "a.txt": ["1:needle"] },
  ],
  ["a last line without a newline", {}, { "a.txt": "x\nneedle" }, { "a.txt": ["2:needle"] }],
  [
    "UTF-16 with a byte order mark",
    {},
    { "a.txt": Buffer.from("\uFEFFone\nneedle é\n", "utf16le") },
    { "a.txt": ["2:needle é"] },
  ],
  [
    "beside bytes that are not UTF-8",
    {},
    { "a.txt": Buffer.from("caf\xe9 needle\n", "latin1"), "b.txt": "needle\n" },
    { "a.txt": ["1:caf\uFFFD needle"], "b.txt": ["1:needle"] },
  ],
  [
    "lines around hits, once where they meet",
    { before: 1, after: 1 },
    { "a.txt": "1\n2\nneedle\n4\nneedle\n6\n7\n8\nneedle\n" },
    { "a.txt": ["2-2", "3:needle", "4-4", "5:needle", "6-6", "8-8", "9:needle"] },
  ],
  [
    "over lines",
    { pattern: "start\\n.*end", multiline: true },
    { "a.txt": "x\nstart\nthe end\n" },
    { "a.txt": ["2:start\nthe end"] },
  ],
  [
    "a newline in the pattern",
    { pattern: "a\nb", literal: true },
    { "a.txt": "a\nc\na\nb\n" },
    { "a.txt": ["3:a\nb"] },
  ],
  [
    "names with spaces, dashes and newlines",
    {},
    { "-e": "needle\n", "a b.txt": "needle\n", "n\nl.txt": "needle\n" },
    { "-e": ["1:needle"], "a b.txt": ["1:needle"], "n\nl.txt": ["1:needle"] },
  ],
])("search() finds %s", async (_, request, files, lines) => {
  expect(linesOf(await makeTree(files).search(request))).toEqual(lines);
});

test.each<[string, Partial<SearchRequest>, unknown]>([
  ["nothing hidden or ignored unless asked", {}, { "src/a.ts": ["1:needle"] }],
  [
    "hidden files when asked, and never .git",
    { hidden: true },
    { ".env": ["1:needle"], ".github/a.yml": ["1:needle"], "src/a.ts": ["1:needle"] },
  ],
  [
    "ignored files when asked",
    { no_ignore: true },
    {
      "build/out.js": ["1:needle"],
      "build/sub/b.js": ["1:needle"],
      "cache/x/c.txt": ["1:needle"],
      "src/a.ts": ["1:needle"],
      "src/debug.log": ["1:needle"],
    },
  ],
  ["an ignored file that is named", { path: "src/debug.log" }, { "src/debug.log": ["1:needle"] }],
  [
    "an ignored directory that is named",
    { path: "build" },
    { "build/out.js": ["1:needle"], "build/sub/b.js": ["1:needle"] },
  ],
  ["a directory inside an ignored one", { path: "build/sub" }, { "build/sub/b.js": ["1:needle"] }],
  ["a directory inside one whose content is ignored", { path: "cache/x" }, { "cache/x/c.txt": ["1:needle"] }],
  ["what is ignored below a named directory stays out", { path: "src" }, { "src/a.ts": ["1:needle"] }],
  ["a hidden file that is named", { path: ".env" }, { ".env": ["1:needle"] }],
  ["a hidden directory that is named", { path: ".github" }, { ".github/a.yml": ["1:needle"] }],
  ["a file of .git that is named", { path: ".git/config" }, { ".git/config": ["1:needle"] }],
  ["a glob, without what is ignored", { globs: ["*.log", "*.ts"] }, { "src/a.ts": ["1:needle"] }],
  ["a glob over everything, without what is ignored or hidden", { globs: ["**/*"] }, { "src/a.ts": ["1:needle"] }],
  ["a glob that begins with a hidden directory", { globs: [".github/**"] }, { ".github/a.yml": ["1:needle"] }],
  ["a glob with a directory", { globs: ["src/**/*.ts"] }, { "src/a.ts": ["1:needle"] }],
  ["a glob from the named directory", { path: "src", globs: ["a.*"] }, { "src/a.ts": ["1:needle"] }],
  ["a glob with an exclusion", { hidden: true, globs: ["!*.ts", "!.github"] }, { ".env": ["1:needle"] }],
  ["a type", { no_ignore: true, type: "js" }, { "build/out.js": ["1:needle"], "build/sub/b.js": ["1:needle"] }],
  ["a type and a glob", { no_ignore: true, type: "js", globs: ["sub/*", "b*"] }, { "build/sub/b.js": ["1:needle"] }],
])("search() searches %s", async (_, request, lines) => {
  const tree = makeTree({
    ".gitignore": "build/\n*.log\ncache/*\n",
    ".git/config": "needle\n",
    ".env": "needle\n",
    ".github/a.yml": "needle\n",
    "build/out.js": "needle\n",
    "build/sub/b.js": "needle\n",
    "cache/x/c.txt": "needle\n",
    "src/a.ts": "needle\n",
    "src/debug.log": "needle\n",
  });
  expect(linesOf(await tree.search(request))).toEqual(lines);
});

test("search() shows a window of a long line around the hit, with its length", async () => {
  const tree = makeTree({ "a.js": `${"x".repeat(5_000)}é needle é${"y".repeat(5_000)}\nshort needle\n` });
  const found = await tree.search({ line_chars: 60 });
  expect(found.ok && found.value.files[0]?.lines).toEqual([
    {
      line: 1,
      hit: true,
      text: `…${"x".repeat(24)}é needle é${"y".repeat(24)}…`,
      whole_bytes: 10_012,
    },
    { line: 2, hit: true, text: "short needle", whole_bytes: null },
  ]);
});

test("search() shows the hit in a line of many megabytes", async () => {
  const part = "0123456789".repeat(800_000);
  const tree = makeTree({ "a.json": `${part}needle${part}\n` });
  const found = await tree.search({ line_chars: 50 });
  const line = found.ok ? found.value.files[0]?.lines[0] : undefined;
  expect(line?.text).toMatch(/^…\d{15,30}needle\d{15,30}…$/);
});

test("search() reports which files are not UTF-8, and the offset at which one is binary", async () => {
  const tree = makeTree({ "latin.txt": Buffer.from("needle \xe9\n", "latin1"), "named.bin": "needle\0needle\n" });
  const found = await tree.search({});
  expect(found.ok && found.value.files).toEqual([
    {
      path: "latin.txt",
      count: 1,
      lines: [{ line: 1, hit: true, text: "needle \uFFFD", whole_bytes: null }],
      invalid_utf8: true,
      binary_offset: null,
    },
  ]);
  const named = await tree.search({ path: "named.bin" });
  expect(named.ok && named.value.files.map(({ path, binary_offset }) => ({ path, binary_offset }))).toEqual([
    { path: "named.bin", binary_offset: 6 },
  ]);
});

test("search() never waits for a FIFO", async () => {
  const tree = makeTree({ "a.txt": "needle\n" });
  execFileSync("mkfifo", [join(tree.workspace, "pipe")]);
  symlinkSync("pipe", join(tree.workspace, "link"));
  expect(linesOf(await tree.search({}))).toEqual({ "a.txt": ["1:needle"] });
  for (const path of ["pipe", "link"]) {
    expect(await tree.search({ path })).toEqual({
      ok: false,
      failure: {
        reason: "wrong_kind",
        path: join(tree.workspace, path),
        expected: "a file or a directory",
        actual: "a FIFO",
      },
    });
  }
});

test("search() follows a symlink only when it is the path", async () => {
  const tree = makeTree({ "real/a.txt": "needle\n" });
  symlinkSync("real", join(tree.workspace, "link"));
  mkdirSync(join(tree.workspace, "empty"));
  expect(linesOf(await tree.search({}))).toEqual({ "real/a.txt": ["1:needle"] });
  expect(linesOf(await tree.search({ path: "link" }))).toEqual({ "link/a.txt": ["1:needle"] });
});
