// Methods of the provider sandbox over the runner's own operations.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copy, mkdir, move, remove } from "../../../src/isolate/providers/entries.ts";
import { search } from "../../../src/isolate/providers/search.ts";
import { appendFile, editFile } from "../../../src/isolate/providers/write-file.ts";
import { done, filesUnderTest } from "../../runner/file/files-under-test.ts";
import { makeTree } from "../../runner/search/tree.ts";
import { callMethod } from "../fixture/call-method.ts";

test("mkdir(), copy(), move() and remove() change directory entries", async () => {
  using files = filesUnderTest();
  files.put("a.txt", "a");
  const answers = [
    await callMethod(mkdir, { path: "made/in" }, files),
    await callMethod(copy, { from: "a.txt", to: "made/in/" }, files),
    await callMethod(move, { from: "made/in/a.txt", to: "b.txt" }, files),
    await callMethod(remove, { path: "made" }, files),
    await callMethod(remove, { path: "made", recursive: true }, files),
    await callMethod(move, { from: "a.txt", to: "b.txt" }, files),
    await callMethod(move, { from: "a.txt", to: "b.txt", overwrite: true, dry_run: true }, files),
  ];
  expect(answers.map(({ result }) => (result.ok ? "done" : result.failure.reason))).toEqual([
    "done",
    "done",
    "done",
    "not_empty",
    "done",
    "exists",
    "done",
  ]);
  expect([files.text("a.txt"), files.text("b.txt")]).toEqual(["a", "a"]);
});

test("appendFile() adds text and bytes", async () => {
  using files = filesUnderTest();
  files.put("log", "one\r\n");
  const { result } = await callMethod(appendFile, { path: "log", content: "two\n" }, files);
  expect([done(result), files.text("log")]).toEqual([
    { path: files.path("log"), size: 10, size_before: 5, sha256: expect.any(String) },
    "one\r\ntwo\r\n",
  ]);
});

const edits: [title: string, input: Record<string, unknown>, after: string][] = [
  ["a replacement", { old_string: "b", new_string: "B" }, "a\nB\nc\n"],
  ["an insertion", { insert_line: 1, new_string: "x\n" }, "a\nx\nb\nc\n"],
  ["an insertion at the top", { insert_line: 0, new_string: "x\n" }, "x\na\nb\nc\n"],
  [
    "several of both",
    {
      edits: [
        { insert_line: 3, new_string: "d\n" },
        { old_string: "a", new_string: "" },
      ],
    },
    "\nb\nc\nd\n",
  ],
  ["neither", { new_string: "x" }, "invalid_request"],
  ["both at once", { old_string: "b", insert_line: 1, new_string: "x" }, "invalid_request"],
  ["no new text", { old_string: "b" }, "invalid_request"],
  ["nothing", {}, "invalid_request"],
  [
    "one and several",
    { old_string: "b", new_string: "x", edits: [{ old_string: "a", new_string: "" }] },
    "invalid_request",
  ],
];
test.each(edits)("editFile() takes %s", async (_title, input, after) => {
  using files = filesUnderTest();
  files.put("abc", "a\nb\nc\n");
  const { result } = await callMethod(editFile, { path: "abc", ...input }, files);
  expect(result.ok ? files.text("abc") : result.failure.reason).toBe(after);
  if (!result.ok) expect(readFileSync(join(files.path("abc")), "utf8")).toBe("a\nb\nc\n");
});

test("search() returns lines around hits, and skips hits", async () => {
  const tree = makeTree({ "a.txt": "1\nneedle 2\n3\n4\n5\nneedle 6\n7\n", "b.txt": "needle\n" });
  const operations = { call: (_: never, request: never) => tree.search(request) };
  const around = await callMethod(search, { pattern: "needle", path: "a.txt", before: 1, after: 1 }, operations);
  expect(done(around.result)).toEqual([
    { path: "a.txt", line: 1, text: "1", context: true },
    { path: "a.txt", line: 2, text: "needle 2" },
    { path: "a.txt", line: 3, text: "3", context: true },
    { path: "a.txt", line: 5, text: "5", context: true },
    { path: "a.txt", line: 6, text: "needle 6" },
    { path: "a.txt", line: 7, text: "7", context: true },
  ]);
  const second = await callMethod(search, { pattern: "needle", offset: 1, limit: 1 }, operations);
  expect([done(second.result), second.remarks]).toEqual([
    [{ path: "a.txt", line: 6, text: "needle 6" }],
    ["sandbox.search stopped after 1 hit, and there are more. Pass a larger limit, or an offset."],
  ]);
});
