// file-edit: exactly the requested change, all of it or nothing, with every other byte unchanged.

import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import type { FileEdit } from "../../../src/contract/file-edit.ts";
import { done, failureOf, filesUnderTest, insert, replace } from "./files-under-test.ts";

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");

test.each<[string, Buffer | string, FileEdit[], Buffer | string]>([
  ["replaces an exact string", "let a = 1;\nlet b = 2;\n", [replace("a = 1", "a = 3")], "let a = 3;\nlet b = 2;\n"],
  [
    "takes $& and its kind for what they are",
    "price: X\n",
    [replace("X", "$& $1 $` $' $$ \\1")],
    "price: $& $1 $` $' $$ \\1\n",
  ],
  ["takes a regex's characters for what they are", "a.*b (c)\naxxb\n", [replace("a.*b (c)", "d")], "d\naxxb\n"],
  ["deletes with an empty new string", "a\nb\nc\n", [replace("b\n", "")], "a\nc\n"],
  [
    "keeps indentation it was not asked to change",
    "\tif (x) {\n\t\ty();\n\t}\n",
    [replace("y();", "z();")],
    "\tif (x) {\n\t\tz();\n\t}\n",
  ],
  ["replaces all, left to right, none twice", "aaaa aa\n", [replace("aa", "b", true)], "bb b\n"],
  ["does not look again at what it put there", "x x\n", [replace("x", "xx", true)], "xx xx\n"],
  [
    "applies edits in order on each other's outcome",
    "one\n",
    [replace("one", "two"), replace("two", "three")],
    "three\n",
  ],
  ["matches across CRLF with LF", "a\r\nb\r\nc\r\n", [replace("a\nb", "a\nx\ny")], "a\r\nx\r\ny\r\nc\r\n"],
  ["matches LF with CRLF", "a\nb\nc\n", [replace("a\r\nb", "x\r\ny")], "x\ny\nc\n"],
  ["never makes \\r\\r\\n", "a\r\nb\r\n", [replace("a\r\n", "x\r\n")], "x\r\nb\r\n"],
  ["leaves mixed endings of other lines", "a\r\nb\nc\r\nd\n", [replace("b", "B")], "a\r\nB\nc\r\nd\n"],
  [
    "leaves mixed endings of lines in the text that stay",
    "a\r\nb\nc\r\nd\n",
    [replace("a\nb\nc\nd", "a\nb\nX\nd")],
    "a\r\nb\nX\r\nd\n",
  ],
  ["gives new lines the ending of where they are", "a\r\nb\nc\n", [replace("a", "a\nnew")], "a\r\nnew\r\nb\nc\n"],
  ["keeps a lone carriage return", "a\rb\nc\n", [replace("c", "d")], "a\rb\nd\n"],
  ["keeps CR CR LF", "a\r\r\nb\r\n", [replace("b", "c")], "a\r\r\nc\r\n"],
  [
    "keeps a BOM and matches line 1 past it",
    "\ufeffconst a = 1;\nb\n",
    [replace("const a = 1;\n", "const a = 2;\n")],
    "\ufeffconst a = 2;\nb\n",
  ],
  ["keeps a missing last newline", "a\nb", [replace("a", "x")], "x\nb"],
  ["keeps a missing last newline where the last line changes", "a\nb", [replace("b", "c")], "a\nc"],
  ["takes line breaks as given where the file has none", "ab", [replace("b", "b\r\nc")], "ab\r\nc"],
  [
    "keeps bytes that are not UTF-8",
    bytes("caf", [0xe9], " = 1\nx = ", [0xff, 0xfe], "\n"),
    [replace("= 1", "= 2")],
    bytes("caf", [0xe9], " = 2\nx = ", [0xff, 0xfe], "\n"),
  ],
  [
    "edits text within binary",
    bytes([0, 1, 2], "version=1", [0, 0x80, 0xff]),
    [replace("version=1", "version=2")],
    bytes([0, 1, 2], "version=2", [0, 0x80, 0xff]),
  ],
  [
    "does not match in the middle of a character",
    bytes("é", [0xa9], "x\n"),
    [replace("x", "é")],
    bytes("é", [0xa9], "é\n"),
  ],
  ["edits UTF-16 as what it is", utf16("a\r\nb\r\n"), [replace("b", "ü\n€")], utf16("a\r\nü\r\n€\r\n")],
  ["inserts at the top", "a\nb\n", [insert(0, "x")], "x\na\nb\n"],
  ["inserts between", "a\nb\n", [insert(1, "x\ny\n")], "a\nx\ny\nb\n"],
  ["inserts at the end", "a\nb\n", [insert(2, "x")], "a\nb\nx\n"],
  ["inserts after an open last line", "a\nb", [insert(2, "x")], "a\nb\nx"],
  ["inserts before an open last line", "a\nb", [insert(1, "x")], "a\nx\nb"],
  ["inserts into an empty file", "", [insert(0, "x")], "x"],
  ["inserts with the file's endings", "a\r\nb\r\n", [insert(1, "x\ny")], "a\r\nx\r\ny\r\nb\r\n"],
  ["inserts after an open CRLF line", "a\r\nb", [insert(2, "x\ny\n")], "a\r\nb\r\nx\r\ny\r\n"],
  ["inserts below a BOM", "\ufeffa\n", [insert(0, "x")], "\ufeffx\na\n"],
  ["counts lines after the edits before", "a\nb\n", [insert(0, "0"), insert(2, "x")], "0\na\nx\nb\n"],
])("edit %s", async (_, before, edits, after) => {
  using files = filesUnderTest();
  files.put("file", before);
  done(await files.edit("file", edits));
  expect(files.get("file")).toEqual(Buffer.from(after));
});

test.each<[string, string, FileEdit[], object]>([
  [
    "twice there",
    "a = 1\nb\na = 1\n",
    [replace("a = 1", "a = 2")],
    {
      reason: "ambiguous_match",
      edit: 1,
      edits: 1,
      count: 2,
      lines: [1, 3],
      matches: [
        { line: 1, first_line: 1, context: ["a = 1", "b", "a = 1"] },
        { line: 3, first_line: 1, context: ["a = 1", "b", "a = 1"] },
      ],
    },
  ],
  [
    "there twice, one over the other",
    "aaa\n",
    [replace("aa", "b")],
    { reason: "ambiguous_match", count: 2, lines: [1, 1] },
  ],
  [
    "ambiguous in the second of two",
    "x\ny\ny\n",
    [replace("x", "z"), replace("y", "z")],
    { reason: "ambiguous_match", edit: 2, edits: 2 },
  ],
  ["not there", "alpha\n", [replace("omega", "x")], { reason: "no_match", candidates: [], hint: null }],
  [
    "indented otherwise",
    "def f():\n\treturn 1\n",
    [replace("def f():\n    return 1", "x")],
    {
      reason: "no_match",
      hint: "It differs from the file only in white space: in line 2, column 1, it has a space and the file has a tab.",
      candidates: [{ line: 1, end_line: 2, diff: "  def f():\n-     return 1\n+ \treturn 1" }],
    },
  ],
  [
    "with trailing blanks in the file",
    "foo();  \nbar();\n",
    [replace("foo();\nbar();", "x")],
    {
      hint: "It differs from the file only in white space: in line 1, column 7, it has the end of the line and the file has a space.",
    },
  ],
  [
    "with a curly quote in the file",
    "it\u2019s so\n",
    [replace("it's so", "x")],
    {
      hint: 'It differs in characters that look alike: in line 1, column 3, it has "\'" (U+0027) and the file has "\u2019" (U+2019).',
    },
  ],
  [
    "with a no-break space in the file",
    "a\u00a0b c d\n",
    [replace("a b c d", "x")],
    {
      hint: "It differs from the file only in white space: in line 1, column 2, it has a space and the file has a no-break space (U+00A0).",
    },
  ],
  [
    "with the numbers of a read",
    "foo\nbar\n",
    [replace("1\tfoo\n2\tbar", "x")],
    { hint: "It contains the line numbers of a read: leave them out, with the tab after them." },
  ],
  [
    "escaped once more",
    "a\n\tb\n",
    [replace("a\\n\\tb", "x")],
    { hint: "It is escaped once too often: it has a backslash and a letter where the file has the character itself." },
  ],
  [
    "in other case",
    "Hello World\n",
    [replace("hello world", "x")],
    { hint: "It differs from the file only in upper and lower case." },
  ],
  [
    "with a replacement character",
    "caf\n",
    [replace("caf\ufffd", "x")],
    { hint: "It contains U+FFFD, which a read shows in place of bytes that are not UTF-8: choose text next to them." },
  ],
  [
    "gone by an edit before",
    "a\nb\n",
    [replace("a\n", ""), replace("a\nb", "x")],
    {
      hint: "It was in the file until an earlier edit in this call changed it: edits apply in order, each to the result of the one before.",
    },
  ],
  [
    "empty",
    "a\n",
    [replace("", "x")],
    {
      reason: "invalid_request",
      message: "old_string is empty. Use insert_line to insert text, or write for a file's whole content.",
    },
  ],
  ["the same", "a\n", [replace("a", "a")], { reason: "invalid_request" }],
  ["the same but for line endings", "a\r\nb\r\n", [replace("a\r\nb", "a\nb")], { reason: "invalid_request" }],
  ["half a character", "a\n", [replace("a", "\ud83d")], { reason: "invalid_request" }],
  ["past the end", "a\nb\n", [insert(3, "x")], { reason: "invalid_request" }],
  ["good and then bad", "a\nb\n", [replace("a", "x"), insert(9, "y")], { reason: "invalid_request" }],
])("edit refuses what is %s, and writes nothing", async (_, before, edits, failure) => {
  using files = filesUnderTest();
  files.put("file", before);
  expect(failureOf(await files.edit("file", edits))).toMatchObject(failure);
  expect(files.text("file")).toBe(before);
  expect(readdirSync(files.roots.workspace)).toEqual(["file"]);
});

test("file-edit shows the best of several near misses when they are far down a large file", async () => {
  using files = filesUnderTest();
  const lines = Array.from({ length: 20_000 }, (_, index) => `const value${index} = compute(${index});`);
  lines[15_000] = "function handleRequest(request, response) {";
  lines[15_001] = "  const user = await loadUser(request.userId);";
  lines[15_002] = "  return respond(response, user);";
  files.put("file", `${lines.join("\n")}\n`);
  const old =
    "function handleRequest(req, res) {\n  const user = await loadUser(req.userId);\n  return respond(response, user);";
  expect(failureOf(await files.edit("file", [replace(old, "x")]))).toMatchObject({
    reason: "no_match",
    candidates: [
      {
        line: 15_001,
        end_line: 15_003,
        diff: [
          "- function handleRequest(req, res) {",
          "-   const user = await loadUser(req.userId);",
          "+ function handleRequest(request, response) {",
          "+   const user = await loadUser(request.userId);",
          "    return respond(response, user);",
        ].join("\n"),
      },
    ],
  });
});

test("file-edit answers a unified diff with the file's own line numbers", async () => {
  using files = filesUnderTest();
  files.put("file", Array.from({ length: 100 }, (_, index) => `line ${index + 1}\r\n`).join(""));
  const value = done(await files.edit("file", [replace("line 50\n", "LINE 50\nmore\n"), replace("line 90\n", "")]));
  expect(value).toMatchObject({
    changes: 2,
    endings: "crlf",
    diff: {
      added: 2,
      removed: 2,
      omitted_lines: 0,
      text: "@@ -47,7 +47,8 @@\n line 47\n line 48\n line 49\n-line 50\n+LINE 50\n+more\n line 51\n line 52\n line 53\n@@ -87,7 +88,6 @@\n line 87\n line 88\n line 89\n-line 90\n line 91\n line 92\n line 93",
    },
  });
});

test("file-edit cuts a diff that is too long, and counts the rest", async () => {
  using files = filesUnderTest();
  files.put("file", "some text that is replaced\n".repeat(2_000));
  const { diff } = done(await files.edit("file", [replace("replaced", "changed", true)]));
  expect(diff?.text.length).toBeLessThanOrEqual(12_000);
  expect([diff?.added, diff?.removed]).toEqual([2_000, 2_000]);
  expect((diff?.omitted_lines ?? 0) + (diff?.text.split("\n").length ?? 0)).toBe(4_008);
});

test("file-edit keeps mode, owner and symlink, and reports hard links", async () => {
  using files = filesUnderTest();
  files.put("real/script", "#!/bin/sh\necho a\n");
  chmodSync(files.path("real/script"), 0o4751);
  linkSync(files.path("real/script"), files.path("other"));
  symlinkSync("real/script", files.path("link"));
  const value = done(await files.edit("link", [replace("echo a", "echo b")]));
  expect(value).toMatchObject({
    path: files.path("link"),
    real_path: files.path("real/script"),
    other_links: 1,
    in_place: false,
  });
  expect(lstatSync(files.path("link")).isSymbolicLink()).toBe(true);
  expect((statSync(files.path("real/script")).mode & 0o7777).toString(8)).toBe("4751");
  expect([files.text("link"), files.text("other")]).toEqual(["#!/bin/sh\necho b\n", "#!/bin/sh\necho a\n"]);
});

test("file-edit refuses a file when it changed since its hash was read", async () => {
  using files = filesUnderTest();
  files.put("file", "a\n");
  const hash = done(await files.read("file")).sha256?.slice(0, 16) ?? "";
  files.put("file", "a\nb\n");
  const actual = done(await files.call("file-stat", { path: "file" })).sha256;
  expect(failureOf(await files.edit("file", [replace("a", "x")], { expected_hash: hash }))).toEqual({
    reason: "changed",
    path: files.path("file"),
    actual,
  });
  done(await files.edit("file", [replace("a", "x")], { expected_hash: actual }));
  expect(files.text("file")).toBe("x\nb\n");
});

test("file-edit answers the same and writes nothing when dry_run is set", async () => {
  using files = filesUnderTest();
  files.put("file", "a\nb\n");
  const dry = done(await files.edit("file", [replace("a", "x")], { dry_run: true }));
  expect(files.text("file")).toBe("a\nb\n");
  expect(done(await files.edit("file", [replace("a", "x")]))).toEqual({ ...dry, dry_run: false });
});

test("20 concurrent edits of one file are all made, whichever path names it", async () => {
  using files = filesUnderTest();
  mkdirSync(files.path("dir"));
  files.put("file", Array.from({ length: 20 }, (_, index) => `slot ${index}: empty\n`).join(""));
  symlinkSync("../file", files.path("dir/link"));
  const paths = ["file", "./dir/../file", files.path("file"), "dir/link"];
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      files.edit(paths[index % paths.length] ?? "file", [replace(`slot ${index}: empty`, `slot ${index}: full`)]),
    ),
  );
  expect(results.every(({ ok }) => ok)).toBe(true);
  expect(files.text("file")).toBe(Array.from({ length: 20 }, (_, index) => `slot ${index}: full\n`).join(""));
});

test("file-edit keeps the change of another program when it happens during the edit", async () => {
  using files = filesUnderTest();
  files.put("file", "a\n");
  const edits = Promise.all(Array.from({ length: 30 }, (_, index) => files.append("file", `mine ${index}\n`)));
  for (let index = 0; index < 30; index++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    // A program that replaces the file, as an editor does.
    const now = files.text("file");
    if (!now.includes("theirs\n")) files.put("file", `theirs\n${now}`);
  }
  await edits;
  expect(
    files
      .text("file")
      .split("\n")
      .filter((line) => line.startsWith("mine")).length,
  ).toBeGreaterThanOrEqual(29);
});

test.each<[string, string, FileEdit, object]>([
  [
    "of more places than can be listed",
    "a".repeat(30_000),
    replace("a", "b"),
    { reason: "ambiguous_match", count: 10_000, counted_all: false },
  ],
  ["in more than a million places", "a".repeat(1_000_001), replace("a", "b", true), { reason: "invalid_request" }],
  [
    "that grows beyond memory",
    "a".repeat(100_000),
    replace("a", "b".repeat(5_000), true),
    { reason: "invalid_request" },
  ],
])("edit %s is refused", async (_, before, edit, failure) => {
  using files = filesUnderTest();
  files.put("file", before);
  expect(failureOf(await files.edit("file", [edit]))).toMatchObject(failure);
  expect(files.text("file")).toBe(before);
});

test("file-edit finds a near miss far inside a large file, and says how much it searched when there is none", async () => {
  using files = filesUnderTest();
  const lines = Array.from({ length: 250_000 }, (_, index) => `line ${index} of very many, none of which is another`);
  lines[199_999] = "  const answer = await everything(withAll, ofIts, arguments);";
  files.put("file", `${lines.join("\n")}\n`);
  const old = "const answer = await everything(withAll, ofIts, arguments);\nreturn answers;";
  expect(failureOf(await files.edit("file", [replace(old, "x")]))).toMatchObject({
    reason: "no_match",
    candidates: [{ line: 200_000, end_line: 200_001 }],
  });
  expect(failureOf(await files.edit("file", [replace("zzzz\nqqqq", "x")]))).toMatchObject({
    reason: "no_match",
    candidates: [],
    hint: "The file is large, so only 100000 of its lines were searched for similar text.",
  });
});

test("file-edit takes seconds, not minutes, when it replaces everything in the largest file", async () => {
  using files = filesUnderTest();
  files.put("file", "some words on a line of text\r\n".repeat(500_000));
  const before = process.cpuUsage();
  expect(done(await files.edit("file", [replace("words", "letters", true)])).changes).toBe(500_000);
  expect(failureOf(await files.edit("file", [replace("some werds on a lane of text", "x")]))).toMatchObject({
    reason: "no_match",
  });
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(20_000);
  expect(files.text("file")).toBe("some letters on a line of text\r\n".repeat(500_000));
});
