// The tool `search`: whole answers, from arguments as models send them, through the runner's own operation.

import { expect, test } from "vitest";
import { operations } from "../../../src/contract/operation.ts";
import { fail, resultOf } from "../../../src/contract/result.ts";
import { formatFailure } from "../../../src/format/format-failure.ts";
import type { SandboxCalls } from "../../../src/sandbox/sandbox.ts";
import { callTool } from "../../../tools/call-tool.ts";
import { search } from "../../../tools/search/search.ts";
import type { ToolCall } from "../../../tools/tool.ts";
import { makeTree, type Tree } from "../../runner/search/tree.ts";
import { onlyCalls } from "../only-calls.ts";

async function answer(
  tree: Tree,
  input: unknown,
  notice: string | null = null,
): Promise<{ text: string; error: boolean }> {
  const sandbox: SandboxCalls = {
    name: "default",
    async call(operation, request) {
      const parsed = operations.search.request.parse(request);
      const result = operation === "search" ? await tree.search(parsed) : fail({ reason: "cancelled" });
      return {
        result: resultOf(operations[operation].value).parse(result) as never,
        notice: notice === null ? null : { id: "1", text: notice },
      };
    },
    acknowledge: async () => undefined,
  };
  const call: Pick<ToolCall, "sandboxes" | "signal"> = {
    sandboxes: onlyCalls(() => sandbox),
    signal: new AbortController().signal,
  };
  const result = await callTool(search, input, call as ToolCall);
  const [content] = result.content;
  return { text: content?.type === "text" ? content.text : "", error: result.isError === true };
}

const files = {
  ".gitignore": "build/\n",
  "build/out.js": "needle\n",
  "src/a.ts": "one\nneedle two\nthree\n\n\nneedle\n",
  "src/b.ts": "\tneedle\n",
  "src/wide.js": `${"a".repeat(600)}needle${"b".repeat(600)}\n`,
};

test.each<[string, unknown, string]>([
  [
    "hits by file",
    { pattern: "needle", glob: "*.ts" },
    "3 hits in 2 files.\n\nsrc/a.ts\n2:needle two\n6:needle\n\nsrc/b.ts\n1:\tneedle",
  ],
  [
    "hits with the lines around them",
    { pattern: "needle", path: "src/a.ts", before: "1", after: 1 },
    "2 hits in 1 file.\n\nsrc/a.ts\n1-one\n2:needle two\n3-three\n--\n5-\n6:needle",
  ],
  [
    "a window of a long line",
    { pattern: "needle", glob: ["*.js"] },
    `1 hit in 1 file.\n\nsrc/wide.js\n1:…${"a".repeat(197)}needle${"b".repeat(197)}… [of 1,206 bytes]`,
  ],
  [
    "the last page",
    { pattern: "needle", limit: 2, offset: 2, glob: "*.ts" },
    "Hits 3–3 of 3 hits in 2 files.\n\nsrc/b.ts\n1:\tneedle",
  ],
  ["a page past the end", { pattern: "needle", offset: 50, glob: "*.ts" }, "Offset 50 is past the last of 3 hits."],
  [
    "files that match",
    { pattern: "needle", mode: "files_with_matches" },
    "3 files with matches.\n\nsrc/a.ts\nsrc/b.ts\nsrc/wide.js",
  ],
  [
    "counts",
    { pattern: "needle", mode: "count", glob: '["*.ts"]' },
    "2 files, with 3 matching lines in all.\n\nsrc/a.ts:2\nsrc/b.ts:1",
  ],
  ["names", { pattern: "*.js", mode: "names", sandbox: null }, "1 file, newest first.\n\nsrc/wide.js"],
  [
    "nothing, and what was excluded",
    { pattern: "needle", path: "src/..", glob: "out.js" },
    'No hits.\nNone of the 3 files in "src/.." matches the glob.\n1 file was excluded: ignored by .gitignore or the like, of which 1 would match. Pass no_ignore: true.',
  ],
  [
    "nothing, and what would find something",
    { pattern: "NEEDLE", path: "src" },
    'No hits.\n3 files in "src" were searched.\n3 files would match with ignore_case: true.',
  ],
  [
    "nothing where a name was meant",
    { pattern: "wide", mode: "names" },
    'No file matches.\nNone of the 3 files in /workspace matches the pattern.\nA glob matches whole names: "*wide*" finds names that contain it.',
  ],
])("search answers %s", async (_, input, text) => {
  expect(await answer(makeTree(files), input)).toEqual({ text, error: false });
});

test.each<[string, unknown, string | RegExp]>([
  [
    "a bad regular expression, in the words of this ripgrep",
    { pattern: "needle(" },
    /^regex parse error:\n.*needle\(.*\nerror: unclosed group\nCorrect the pattern, or pass literal: true to search for exactly this text\.$/s,
  ],
  ["a number that is none", { pattern: "x", limit: "all" }, 'Argument "limit": must be a whole number.'],
  [
    "an empty pattern",
    { pattern: "" },
    'Argument "pattern": is empty; to list files, use mode names with the pattern "*".',
  ],
  [
    "an unknown argument",
    { pattern: "x", paths: "src" },
    'Unknown argument "paths". Did you mean "path"? The arguments are: pattern, path, glob, type, mode, literal, ignore_case, multiline, before, after, hidden, no_ignore, limit, offset, sandbox.',
  ],
  [
    "an unknown argument of any length",
    { pattern: "x", ["p".repeat(60_000)]: "src" },
    /^Unknown argument "p{200}…"\. The arguments are: pattern, .*, sandbox\.$/,
  ],
  [
    "a glob longer than a path",
    { pattern: "x", glob: "a".repeat(90_000) },
    /^Argument "glob" has a glob of 90,000 characters \("a{200}…"\); the limit is 4,096\./,
  ],
  [
    "more globs than it takes",
    { pattern: "x", glob: Array.from({ length: 101 }, () => "*.ts") },
    /^Argument "glob" has 101 globs; the limit is 100\./,
  ],
  [
    "a type that is none",
    { pattern: "x", type: "a".repeat(90_000) },
    /^Argument "type": there is no file type "a{200}…"\./,
  ],
])("search refuses %s", async (_, input, text) => {
  expect(await answer(makeTree(files), input)).toEqual({
    text: typeof text === "string" ? text : expect.stringMatching(text),
    error: true,
  });
});

test("search says where the next page begins, and the total where ripgrep had come to its end", async () => {
  const { text } = await answer(makeTree(files), { pattern: "needle", limit: 2, path: "src" });
  expect(text).toMatch(
    /^Hits 1–2( of 4 hits in 3 files\.|; there are more\.) Next page: offset 2\.\n\nsrc\/a\.ts\n2:needle two\n6:needle$/,
  );
});

test("search shows a notice of the sandbox first", async () => {
  const { text } = await answer(makeTree(files), { pattern: "two" }, "This sandbox is new.");
  expect(text).toBe("Notice: This sandbox is new.\n1 hit in 1 file.\n\nsrc/a.ts\n2:needle two");
});

test("search names what is near a path that does not exist", async () => {
  const tree = makeTree(files);
  expect(await answer(tree, { pattern: "x", path: "scr" })).toEqual({
    text: formatFailure({
      reason: "no_such_path",
      path: `${tree.workspace}/scr`,
      above: tree.workspace,
      similar: [],
    }),
    error: true,
  });
});

test.each<[string, string]>([
  ["content", "1 hit in 1 file.\n\na\\x0ab.txt\n1:needle"],
  ["count", "1 file, with 1 matching line in all.\n\na\\x0ab.txt:1"],
  ["files_with_matches", "1 file with matches.\n\na\\x0ab.txt"],
])("search shows a name with a newline in one line in mode %s", async (mode, text) => {
  expect(await answer(makeTree({ "a\nb.txt": "needle\n" }), { pattern: "needle", mode })).toEqual({
    text,
    error: false,
  });
});

test("search stays under the limit of an answer, whatever it finds", async () => {
  const tree = makeTree();
  for (let file = 0; file < 300; file++)
    tree.write(`${"directory/".repeat(20)}${file}.txt`, `needle ${"é".repeat(900)}\n`.repeat(5));
  for (const mode of ["content", "files_with_matches", "count"])
    expect((await answer(tree, { pattern: "needle", mode, limit: 1_000, before: 20 })).text.length).toBeLessThan(
      40_000,
    );
  tree.write("blank.txt", `start\n${"\n".repeat(1_500)}end\nbetween\n`.repeat(40));
  const spans = await answer(tree, { pattern: "start\\n+end", multiline: true, path: "blank.txt", limit: 1_000 });
  expect([spans.text.length < 40_000, spans.text.includes("omitted]")]).toEqual([true, false]);
  const names = await answer(tree, { pattern: "*", mode: "names", limit: 1_000 });
  expect(names.text.length).toBeLessThan(40_000);
});
