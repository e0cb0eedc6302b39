// search: the modes files_with_matches, count and names, pages over their results, and refused requests.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isIgnored } from "../../../container/runner/search/ignored-root.ts";
import type { Result } from "../../../src/contract/result.ts";
import type { SearchRequest, SearchResult } from "../../../src/contract/search.ts";
import { makeTree, pathsOf } from "./tree.ts";

const counts = (result: Result<SearchResult>) =>
  result.ok ? result.value.files.map(({ path, count }) => [path, count]) : result.failure;

test("search() lists the files that match, and counts matching lines", async () => {
  const tree = makeTree({
    "b.txt": "needle\nneedle needle\n",
    "a/c.txt": "needle\n",
    "n\nl.txt": "needle\n",
    "d.txt": "x\n",
  });
  const files = await tree.search({ mode: "files_with_matches" });
  expect(pathsOf(files)).toEqual(["a/c.txt", "b.txt", "n\nl.txt"]);
  expect(files.ok && files.value.total).toEqual({ hits: 0, files: 3 });
  const counted = await tree.search({ mode: "count" });
  expect(counts(counted)).toEqual([
    ["a/c.txt", 1],
    ["b.txt", 2],
    ["n\nl.txt", 1],
  ]);
  expect(counted.ok && counted.value.total).toEqual({ hits: 4, files: 3 });
});

test.each<[string, Partial<SearchRequest>, string[]]>([
  ["by the last part of a path, newest first", { pattern: "*.ts" }, ["src/new.ts", "lib/src/deep.ts", "src/old.ts"]],
  ["by alternatives", { pattern: "*.{js,md}" }, ["README.md", "src/Old.js"]],
  ["by directories", { pattern: "src/**" }, ["src/new.ts", "src/Old.js", "src/old.ts"]],
  ["at any depth", { pattern: "**/src/*.ts" }, ["src/new.ts", "lib/src/deep.ts", "src/old.ts"]],
  [
    "by a directory's name with a slash",
    { pattern: "src/" },
    ["src/new.ts", "src/Old.js", "lib/src/deep.ts", "src/old.ts"],
  ],
  ["from the directory that is named", { pattern: "src/*", path: "lib" }, ["lib/src/deep.ts"]],
  ["by classes", { pattern: "[!n]*.ts" }, ["lib/src/deep.ts", "src/old.ts"]],
  ["with a colon in the glob", { pattern: "*::*.3pm" }, ["std::string.3pm"]],
  ["with a colon at the start of the glob", { pattern: "std:*" }, ["std::string.3pm"]],
  ["by single characters", { pattern: "ne?.ts" }, ["src/new.ts"]],
  ["in any case", { pattern: "OLD.*", ignore_case: true }, ["src/Old.js", "src/old.ts"]],
  ["and a glob", { pattern: "*.ts", globs: ["!lib"] }, ["src/new.ts", "src/old.ts"]],
  ["hidden ones that are asked for", { pattern: ".env" }, [".env"]],
  ["ignored ones only when asked", { pattern: "*.log", no_ignore: true }, ["debug.log"]],
])("search() finds names %s", async (_, request, paths) => {
  const tree = makeTree({ ".gitignore": "*.log\n" });
  tree.write("src/old.ts", "", { minutesOld: 9 });
  tree.write("lib/src/deep.ts", "", { minutesOld: 5 });
  tree.write("src/Old.js", "", { minutesOld: 3 });
  tree.write("src/new.ts", "", { minutesOld: 1 });
  tree.write("README.md", "");
  tree.write(".env", "");
  tree.write("debug.log", "");
  tree.write("std::string.3pm", "");
  expect(pathsOf(await tree.search({ mode: "names", ...request }))).toEqual(paths);
});

test.each<SearchRequest["mode"]>(["content", "files_with_matches", "count", "names"])(
  "search() pages through %s without losing or repeating any",
  async (mode) => {
    const tree = makeTree();
    for (let file = 0; file < 40; file++) {
      tree.write(`d${file % 7}/f${file}.txt`, "needle\nx\nneedle\nneedle\n", { minutesOld: file % 5 });
    }
    const request = { mode, pattern: mode === "names" ? "*.txt" : "needle", before: 1, after: 1 };
    const all = await tree.search({ ...request, limit: 1_000 });
    const pages: string[] = [];
    for (let offset = 0, more = true; more; offset += 7) {
      const page = await tree.search({ ...request, limit: 7, offset });
      if (!page.ok) throw new Error("A page failed");
      pages.push(...itemsOf(page));
      more = page.value.more;
    }
    expect(pages).toEqual(itemsOf(all));
    expect(new Set(pages).size).toBe(mode === "content" ? 120 : 40);
  },
);

const itemsOf = (result: Result<SearchResult>): string[] =>
  !result.ok
    ? []
    : result.value.files.flatMap(({ path, lines }) =>
        lines.length === 0 ? [path] : lines.filter(({ hit }) => hit).map(({ line }) => `${path}:${line}`),
      );

test("search() ends a page when its text is full, and continues there on the next page", async () => {
  const tree = makeTree({ "a.txt": `${"needle".padEnd(300, "x")}\n`.repeat(30) });
  const first = await tree.search({ page_chars: 3_000 });
  const shown = first.ok ? first.value.shown : 0;
  expect(shown).toBeGreaterThan(5);
  expect(first.ok && first.value.more).toBe(true);
  const second = await tree.search({ page_chars: 3_000, offset: shown });
  expect(second.ok && second.value.files[0]?.lines[0]?.line).toBe(shown + 1);
});

test.each<[string, Partial<SearchRequest>, RegExp]>([
  [
    "a bad regular expression, in ripgrep's words",
    { pattern: "foo(" },
    /unclosed group\nCorrect the pattern, or pass literal: true/,
  ],
  ["look-around", { pattern: "(?=a)b" }, /look-around.*is not supported\nripgrep has no look-around/s],
  ["a newline without multiline", { pattern: "a\\nb" }, /not allowed in a regex\nPass multiline: true/],
  [
    "an unknown type",
    { type: "tsx" },
    /unrecognized file type: tsx\nDid you mean "ts" \(.*\)\? Or leave type out and give a glob, such as "\*\.tsx"\.$/,
  ],
  ["a type that is an option and a command", { type: "; touch pwned" }, /unrecognized file type: ; touch pwned/],
  ["a type by the name of its language", { type: "javascript" }, /\nDid you mean "js" \(/],
  ["a type by another name", { type: "c++" }, /\nDid you mean "cpp" \(/],
  ["a glob with a NUL", { globs: ["a", "b\0"] }, /^A glob cannot contain a NUL character\. Leave it out\.$/],
  ["a type with a NUL", { type: "t\0s" }, /^A type cannot contain a NUL character\. Leave it out\.$/],
  [
    "a long bad glob, of which it shows the start",
    { mode: "names", pattern: `[${"a".repeat(60_000)}` },
    /^Cannot read the glob "\[a{199}…": a character class without its "\]"\.$/,
  ],
  [
    "a long bad pattern, of which it shows the ends",
    { pattern: "a".repeat(60_000).concat("(") },
    /^[\s\S]{1,500}unclosed group\nCorrect/,
  ],
  ["a bad glob", { globs: ["[a"] }, /^Cannot read the glob "\[a": a character class without its "\]"\.$/],
  ["a pattern with a NUL", { pattern: "a\0b" }, /^A pattern cannot contain a NUL character\. Leave it out\.$/],
])("search() refuses %s", async (_, request, message) => {
  const tree = makeTree({ "a.txt": "needle\n" });
  expect(await tree.search(request)).toEqual({
    ok: false,
    failure: { reason: "invalid_request", message: expect.stringMatching(message) },
  });
});

test("search() suggests similar paths when the path does not exist", async () => {
  const tree = makeTree({ "src/needle.ts": "needle\n" });
  expect(await tree.search({ path: "src/nedle.ts" })).toEqual({
    ok: false,
    failure: {
      reason: "no_such_path",
      path: join(tree.workspace, "src/nedle.ts"),
      above: join(tree.workspace, "src"),
      similar: [join(tree.workspace, "src/needle.ts")],
    },
  });
});

test("search() says that ripgrep is missing", async () => {
  const found = await makeTree().search({}, { ripgrep: "/nowhere/rg" });
  expect(found).toEqual({
    ok: false,
    failure: {
      reason: "refused",
      subject: 'ripgrep ("/nowhere/rg") cannot be run in this machine',
      message: "spawn /nowhere/rg ENOENT. Install it there as rg, or search with grep through exec.",
    },
  });
});

test.runIf(process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0)(
  "search() says which directory cannot be read, and searches the others",
  async () => {
    const tree = makeTree({ "a.txt": "needle\n", "closed/b.txt": "needle\n" });
    chmodSync(tree.workspace, 0o755);
    chmodSync(join(tree.workspace, "closed"), 0o700);
    // Root reads everything, so ripgrep runs as somebody else.
    const program = join(makeTree().workspace, "rg");
    writeFileSync(program, '#!/bin/sh\nexec setpriv --reuid 65534 --regid 65534 --clear-groups rg "$@"\n', {
      mode: 0o755,
    });
    chmodSync(join(program, ".."), 0o755);
    const found = await tree.search({}, { ripgrep: program });
    expect(pathsOf(found)).toEqual(["a.txt"]);
    expect(found.ok && found.value.unreadable).toEqual({ count: 1, examples: ["closed: Permission denied"] });
  },
);

test("search() says why nothing was found", async () => {
  const tree = makeTree({
    ".gitignore": "*.log\n",
    ".git/config": "needle\n",
    "a.txt": "NEEDLE\n",
    "b.txt": "x\n",
    "c.log": "needle\n",
    ".hidden": "needle\n",
    "d.bin": "\0needle\n",
  });
  const found = await tree.search({});
  expect(found.ok && found.value).toEqual({
    files: [],
    shown: 0,
    more: false,
    total: { hits: 0, files: 0 },
    timed_out: false,
    unreadable: { count: 0, examples: [] },
    empty: {
      searched: 3,
      unrestricted: null,
      ignored: 1,
      ignored_matching: 1,
      hidden: 2,
      hidden_matching: 1,
      too_large: 0,
      binary_matching: 1,
      ignore_case_matching: 1,
      literal_matching: 0,
    },
  });
});

test("search() says that no file matches the glob, and that the pattern occurs as plain text", async () => {
  const tree = makeTree({ "a.txt": "foo(bar)\n", "b.txt": "x\n" });
  const noFile = await tree.search({ pattern: "foo", globs: ["*.rs"] });
  expect(noFile.ok && noFile.value.empty).toMatchObject({ searched: 0, unrestricted: 2 });
  const literal = await tree.search({ pattern: "foo(bar)" });
  expect(literal.ok && literal.value.empty).toMatchObject({ searched: 2, literal_matching: 1 });
  mkdirSync(join(tree.workspace, "empty"));
  const nothing = await tree.search({ path: "empty" });
  expect(nothing.ok && nothing.value.empty).toMatchObject({ searched: 0, unrestricted: null });
});

test("search() does not wait for ignore files that are FIFOs", async () => {
  const tree = makeTree({ "a/b/c.txt": "needle\n" });
  const pipes = ["", "a/"].flatMap((at) =>
    [".gitignore", ".ignore", ".rgignore"].map((name) => join(tree.workspace, at + name)),
  );
  expect(spawnSync("mkfifo", pipes).status).toBe(0);
  expect(await isIgnored(join(tree.workspace, "a/b"))).toBe(false);
  expect(pathsOf(await tree.search({ path: "a/b", no_ignore: true }))).toEqual(["a/b/c.txt"]);
});

test.each<[string, Record<string, string>, boolean]>([
  ["its name", { ".gitignore": "b/\n" }, true],
  ["a directory above it", { ".ignore": "/a\n" }, true],
  ["all that is in it", { ".gitignore": "a/b/**\n" }, true],
  ["all that is in it, for short", { ".gitignore": "a/b/*\n" }, true],
  ["its name, and a nearer file takes it back", { ".gitignore": "b\n", "a/.rgignore": "!b\n" }, false],
  ["a part of what is in it", { ".gitignore": "a/b/*.log\n" }, false],
])("isIgnored() decides for rules that name %s", async (_, rules, ignored) => {
  const tree = makeTree({ "a/b/c.txt": "", ...rules });
  expect(await isIgnored(join(tree.workspace, "a/b"))).toBe(ignored);
});
