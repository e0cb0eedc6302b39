// The exact answers of the file tool, over the runner's own operations.

import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { limits } from "../../../src/contract/limits.ts";
import type { SandboxCalls } from "../../../src/sandbox/sandbox.ts";
import { content } from "../../../tools/answer.ts";
import { callTool, type ToolResult } from "../../../tools/call-tool.ts";
import { jsonSchema } from "../../../tools/json-schema.ts";
import type { Tool, ToolCall } from "../../../tools/tool.ts";
import { type FilesUnderTest, filesUnderTest } from "../../runner/file/files-under-test.ts";
import { png } from "../../runner/file/images.ts";
import { onlyCalls } from "../only-calls.ts";
import { toolFor } from "../tool-for.ts";

const file = toolFor("file");
const readOnlyFile = toolFor("file", ["sandbox:read"]);

function call(files: FilesUnderTest, input: Record<string, unknown>, tool: Tool = file): Promise<ToolResult> {
  const sandbox = (name: string): SandboxCalls => ({
    name,
    async call(operation, request) {
      if (!isFileOperation(operation)) throw new Error(operation);
      return { result: await files.call(operation, request as never), notice: null } as never;
    },
    acknowledge: async () => undefined,
  });
  return callTool(tool, input, {
    isolates: noIsolates,
    origin: "https://host",
    sandboxes: onlyCalls(sandbox),
    arrivedAt: Date.now(),
    signal: new AbortController().signal,
    progress: null,
    detach: () => undefined,
  });
}

const noIsolates: ToolCall["isolates"] = {
  run: () => Promise.reject(new Error("The file tool runs no code")),
};

/** The download command for "file". Its URL contains the test's own directory instead of /workspace. */
const download = `curl -fsS -H "Authorization: Bearer $ACCESS_KEY" -o 'file' 'https://host/files/default/%2Fworkspace/file'`;

const isFileOperation = (name: string): name is `file-${"read" | "edit"}` => name.startsWith("file-");

/** The text of the answer, with /workspace in place of the test's own directory. */
async function say(files: FilesUnderTest, input: Record<string, unknown>): Promise<string> {
  const { content, isError } = await call(files, input);
  const text = content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n");
  return `${isError === true ? "ERROR " : ""}${inWorkspace(text, files)}`;
}

const inWorkspace = (text: string, { roots }: FilesUnderTest): string =>
  text.replaceAll(roots.workspace, "/workspace").replaceAll(roots.workspace.slice(1), "workspace");

test("read numbers lines, and says how to read on", async () => {
  using files = filesUnderTest();
  files.put("src/a.ts", "one\n\ttwo\nthree\nfour\n");
  expect(await say(files, { action: "read", path: "src/a.ts" })).toBe(
    "/workspace/src/a.ts: lines 1 to 4 of 4, 20 B, hash af2c4d4dcc8e4525\n1\tone\n2\t\ttwo\n3\tthree\n4\tfour",
  );
  expect(await say(files, { action: "read", path: "src/a.ts", offset: "2", limit: "1" })).toBe(
    "/workspace/src/a.ts: line 2 of 4, 20 B, hash af2c4d4dcc8e4525\n2\t\ttwo\n(2 more lines; read on with offset 3)",
  );
  expect(await say(files, { action: "read", path: "src/a.ts", offset: 9 })).toBe(
    "/workspace/src/a.ts has 4 lines; offset 9 is past its end, hash af2c4d4dcc8e4525.",
  );
});

test.each<[string, string | Buffer, Record<string, unknown>, string]>([
  ["an empty file", "", {}, "/workspace/file is empty (0 bytes), hash e3b0c44298fc1c14."],
  [
    "line endings and a BOM",
    "\ufeffa\r\nb",
    {},
    "/workspace/file: lines 1 to 2 of 2, 7 B, begins with a byte order mark, CRLF line endings, no newline at the end, hash 2ecb94e1ddf4b74b\n1\ta\n2\tb",
  ],
  [
    "UTF-16",
    Buffer.from("\ufeffhi\n", "utf16le"),
    {},
    "/workspace/file: line 1 of 1, 8 B, UTF-16LE, decoded here, hash 4bfce5e1cd00e0dd\n1\thi",
  ],
  [
    "UTF-16 with half a character",
    Buffer.concat([Buffer.from("\ufeffhi", "utf16le"), Buffer.of(65)]),
    {},
    "/workspace/file: line 1 of 1, 7 B, UTF-16LE, decoded here, no newline at the end, not all of it UTF-16: other bytes are shown as \ufffd, and edits refuse the file, hash ad528bd20d3105f0\n1\thi\ufffd",
  ],
  [
    "Latin-1",
    Buffer.from("\xe9t\xe9\n", "latin1"),
    {},
    "/workspace/file: line 1 of 1, 4 B, not all of it UTF-8: other bytes are shown as \ufffd and kept by edits, hash 47ebd6d3cbc66bb6\n1\t\ufffdt\ufffd",
  ],
  [
    "a long line",
    `${"x".repeat(2_500)}\nb\n`,
    {},
    `/workspace/file: lines 1 to 2 of 2, 2.4 KiB, hash 25c49aa57d82ba4d\n1\t${"x".repeat(2_000)} [… 500 characters omitted] (read on with offset 1, limit 1, column 2001)\n2\tb`,
  ],
  [
    "the rest of it",
    `${"x".repeat(2_500)}\nb\n`,
    { limit: 1, column: 2_499 },
    "/workspace/file: line 1 of 2, 2.4 KiB, hash 25c49aa57d82ba4d\n1\txx\n(1 more line; read on with offset 2)",
  ],
  [
    "binary",
    Buffer.from("\x7fELF\0\x01", "latin1"),
    {},
    '/workspace/file: ELF binary, 6 bytes, hash 9ec5eaf8a5a5b9e1. It is not text, so it has no lines. To read its bytes: encoding: "base64" (encoding: "text" shows it as text anyway). To download the whole file:\n' +
      download,
  ],
  [
    "bytes",
    Buffer.from("\x7fELF\0\x01", "latin1"),
    { encoding: "base64", limit: 4 },
    "/workspace/file: ELF binary, 6 bytes, hash 9ec5eaf8a5a5b9e1. Bytes 0-3 as base64:\nf0VMRg==\n(2 more bytes; read on with offset 4. To download the whole file: " +
      download +
      ")",
  ],
  ["an image", png(4, 3), {}, "/workspace/file: PNG image, 4x3 px, 45 bytes, hash 9d98ebd1d3eb5a9d.\n[image/png]"],
  [
    "an image too large",
    png(4_000, 3),
    {},
    `/workspace/file: PNG image, 4000x3 px, 45 bytes, hash bd8d5a7ca1c1a4d5. Not shown: clients take images up to 2000 px a side and 513 KiB. Make a smaller copy with exec and read that, with ImageMagick:\nconvert '/workspace/file' -resize '1568x1568>' -quality 80 /tmp/small.jpg\nor with ffmpeg:\nffmpeg -v error -y -i '/workspace/file' -vf "scale='min(1568,iw)':'min(1568,ih)':force_original_aspect_ratio=decrease" /tmp/small.jpg\nTo download the whole file:\n${download}`,
  ],
  [
    "a PDF",
    "%PDF-1.4\n<</Type/Page>>\n",
    {},
    "/workspace/file: PDF, 1 page, 24 bytes, hash 0d0f7c1d1a3d4d5e. Its text is not shown: the machine has no pdftotext (package poppler-utils), or the file has no text.",
  ],
])("read says of %s what it has to", async (_, content, options, expected) => {
  using files = filesUnderTest();
  files.put("file", content);
  const hash = (text: string) => text.replace(/hash [0-9a-f]{16}/g, "hash …");
  expect(hash(await say(files, { action: "read", path: "file", ...options }))).toBe(hash(expected));
});

test("read stays within what clients accept, with lines of any length", async () => {
  using files = filesUnderTest();
  for (const length of [0, 1, 30, 1_999, 2_001, 100_000]) {
    files.put("file", `${"x".repeat(length)}\n`.repeat(Math.min(50_000, Math.ceil(500_000 / (length + 1)))));
    const text = await say(files, { action: "read", path: "file", limit: 100_000 });
    expect(text.length).toBeLessThanOrEqual(40_000);
    const lines = files.text("file").split("\n").length - 1;
    const more = /([\d,]+) more lines?; read on with offset (\d+)\)$/.exec(text);
    expect(
      more === null
        ? text.includes(`of ${lines},`)
        : Number(more[1]?.replaceAll(",", "")) + Number(more[2]) === lines + 1,
    ).toBe(true);
  }
});

test("edit shows what changed", async () => {
  using files = filesUnderTest();
  files.put("a.ts", "import x from 'x';\r\n\r\nexport const a = 1;\r\nexport const b = 2;\r\n");
  expect(
    await say(files, { action: "edit", path: "a.ts", old_string: "a = 1;\n", new_string: "a = 10;\n// more\n" }),
  ).toBe(
    [
      "Edited /workspace/a.ts: 1 change, 2 lines added and 1 removed; 74 bytes, hash 0f8fad5b.",
      "Kept: CRLF line endings.",
      "@@ -1,4 +1,5 @@",
      " import x from 'x';",
      " ",
      "-export const a = 1;",
      "+export const a = 10;",
      "+// more",
      " export const b = 2;",
    ]
      .join("\n")
      .replace("0f8fad5b", hashIn(await say(files, { action: "stat", path: "a.ts" }))),
  );
});

const hashIn = (text: string): string => /sha256 (.{16})/.exec(text)?.[1] ?? "";

test.each<[string, string, Record<string, unknown>, string]>([
  [
    "twice there",
    "let a;\nfoo();\nlet b;\nfoo();\n",
    { old_string: "foo();", new_string: "bar();" },
    'ERROR old_string is in "/workspace/file" 2 times, at lines 2, 4. Nothing was written.\n  1\tlet a;\n> 2\tfoo();\n  3\tlet b;\n  4\tfoo();\n  2\tfoo();\n  3\tlet b;\n> 4\tfoo();\nAdd surrounding lines to old_string so that only one place matches, or set replace_all: true to change all of them.',
  ],
  [
    "nearly there",
    "function area(width, height) {\n  return width * height;\n}\n",
    { old_string: "function area(w, height) {\n  return w * height;\n}", new_string: "" },
    'ERROR old_string is not in "/workspace/file". Nothing was written.\nThe nearest text (- is old_string, + is the file):\nlines 1-3:\n- function area(w, height) {\n-   return w * height;\n+ function area(width, height) {\n+   return width * height;\n  }\nRead the file, and send old_string exactly as it is there.',
  ],
  [
    "nowhere",
    "alpha\n",
    { old_string: "omega", new_string: "" },
    'ERROR old_string is not in "/workspace/file". Nothing was written.\nNothing in the file resembles it.\nRead the file, and send old_string exactly as it is there.',
  ],
  [
    "wrong in the second of two",
    "a\nb\n",
    {
      edits: [
        { old_string: "a", new_string: "x" },
        { old_string: "zz", new_string: "y" },
      ],
    },
    'ERROR old_string of edit 2 of 2 is not in "/workspace/file". Nothing was written.\nNothing in the file resembles it.\nRead the file, and send old_string exactly as it is there.',
  ],
  [
    "for another content",
    "a\n",
    { old_string: "a", new_string: "b", expected_hash: "0123456789ab" },
    'ERROR "/workspace/file" does not have the expected_hash, and nothing was written. Its hash is now 87428fc522803d31. Read it again, then make the change to its current content.',
  ],
  [
    "without old_string",
    "a\n",
    { new_string: "b" },
    'ERROR edit needs "old_string" to replace, or "insert_line" to insert after a line.',
  ],
  [
    "of both kinds",
    "a\n",
    { old_string: "a", insert_line: 1, new_string: "b" },
    'ERROR edit has both "old_string" and "insert_line". Send old_string to replace, insert_line to insert.',
  ],
  [
    "in both places",
    "a\n",
    { edits: [{ old_string: "a", new_string: "b" }], new_string: "b" },
    'ERROR Send either "edits" or one edit in the arguments themselves, not both. Nothing was done.',
  ],
  [
    "with an unknown key in edits",
    "a\n",
    { edits: [{ oldString: "a", new_string: "b" }] },
    'ERROR Argument "edits.0": unknown key "oldString"; the keys are old_string, new_string, replace_all and insert_line.',
  ],
])("edit that is %s changes nothing and says why", async (_, content, edit, expected) => {
  using files = filesUnderTest();
  files.put("file", content);
  expect(await say(files, { action: "edit", path: "file", ...edit })).toBe(expected);
  expect(files.text("file")).toBe(content);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "an argument of another action",
    { action: "write", path: "x", content: "", limit: 5 },
    'ERROR "limit" is not an argument of write, so nothing was done. write takes: path, content, encoding, if_absent, expected_hash, dry_run.',
  ],
  [
    "an unknown argument",
    { action: "read", path: "x", limits: 5 },
    'ERROR Unknown argument "limits". Did you mean "limit"? The arguments are: action, path, offset, limit, column, depth, no_ignore, encoding, content, if_absent, old_string, new_string, replace_all, insert_line, edits, expected_hash, to, overwrite, recursive, dry_run, sandbox.',
  ],
  ["no path", { action: "read" }, 'ERROR Argument "path" is missing: read needs it.'],
  ["no content", { action: "write", path: "x", content: null }, 'ERROR Argument "content" is missing: write needs it.'],
  [
    "a path that is not there",
    { action: "read", path: "zzz/x" },
    'ERROR "/workspace/zzz/x" does not exist. The nearest directory above it is "/workspace"; look there with file list.',
  ],
  [
    "a path nearly there",
    { action: "read", path: "READNE.md" },
    'ERROR "/workspace/READNE.md" does not exist. Did you mean "/workspace/README.md"?',
  ],
  [
    "a directory",
    { action: "read", path: "dir" },
    'ERROR "/workspace/dir" is a directory, not a regular file. List it with file list.',
  ],
  [
    "a full directory",
    { action: "delete", path: "dir" },
    'ERROR "/workspace/dir" is a directory with 1 entry, and nothing was deleted. Set recursive: true to delete it with everything in it.',
  ],
  [
    "the workspace",
    { action: "delete", path: ".", recursive: true },
    'ERROR "/workspace": it is the workspace itself, so it is not deleted. Name what is inside it instead.',
  ],
  [
    "a taken name",
    { action: "move", path: "dir", to: "README.md" },
    'ERROR "/workspace/README.md" exists (a file), and nothing was changed. Choose another path, or replace it: overwrite: true in move and copy, no if_absent in write.',
  ],
])("%s is refused with the way on", async (_, input, expected) => {
  using files = filesUnderTest();
  files.put("README.md", "");
  files.put("dir/x", "");
  expect(await say(files, input)).toBe(expected);
});

test("write, append and the other actions say what they did", async () => {
  using files = filesUnderTest();
  const steps: [Record<string, unknown>, string | RegExp][] = [
    [
      { action: "write", path: "a.txt", content: "one\n" },
      /^Wrote \/workspace\/a\.txt: 4 bytes, a new file, hash [0-9a-f]{16}\.$/,
    ],
    [
      { action: "write", path: "a.txt", content: "two\n" },
      /^Wrote \/workspace\/a\.txt: 4 bytes, it was 4 bytes, hash [0-9a-f]{16}\.\n@@ -1,1 \+1,1 @@\n-one\n\+two$/,
    ],
    [
      { action: "write", path: "a.txt", content: "two\n" },
      /^Wrote \/workspace\/a\.txt: 4 bytes, the same content as before, hash [0-9a-f]{16}\.$/,
    ],
    [
      { action: "write", path: "ends.txt", content: "a\r\nb\n" },
      /^Wrote \/workspace\/ends\.txt: 5 bytes, a new file, hash [0-9a-f]{16}\.$/,
    ],
    [
      { action: "write", path: "ends.txt", content: "a\nb\r\n" },
      /^Wrote \/workspace\/ends\.txt: 5 bytes, it was 5 bytes, hash [0-9a-f]{16}\.\nThe text is the same: only line endings, a byte order mark or the encoding changed\.$/,
    ],
    [{ action: "delete", path: "ends.txt" }, "Deleted /workspace/ends.txt."],
    [
      { action: "write", path: "a.txt", content: "x", dry_run: "true" },
      /^Dry run, nothing was changed: would write \/workspace\/a\.txt: 1 byte, it was 4 bytes/,
    ],
    [
      { action: "append", path: "a.txt", content: "three" },
      /^Appended 5 bytes to \/workspace\/a\.txt: now 9 bytes, hash [0-9a-f]{16}\.$/,
    ],
    [
      { action: "append", path: "a.txt", content: "!\n" },
      /It did not end with a newline, so the appended text continues its last line\.$/,
    ],
    [
      { action: "edit", path: "a.txt", insert_line: 0, new_string: "zero" },
      /^Edited \/workspace\/a\.txt: 1 change, 1 line added and 0 removed;/,
    ],
    [
      { action: "copy", path: "a.txt", to: "dir/" },
      "Copied /workspace/a.txt to /workspace/dir/a.txt: 1 file, 16 bytes.",
    ],
    [{ action: "move", path: "a.txt", to: "b.txt" }, "Moved /workspace/a.txt to /workspace/b.txt."],
    [{ action: "mkdir", path: "new/deep" }, "Created /workspace/new/deep, with 1 parent directory."],
    [{ action: "mkdir", path: "new/deep" }, "/workspace/new/deep exists already."],
    [
      { action: "list" },
      "/workspace/: 3 entries; below: 2 files (32 B), 3 directories\nb.txt  16 B\ndir/  (1 entry)\n  a.txt  16 B\nnew/  (1 entry)\n  deep/",
    ],
    [
      { action: "delete", path: "dir", recursive: true, dry_run: true },
      "Dry run, nothing was changed: would delete directory /workspace/dir: 1 file in 1 directory, 16 bytes.",
    ],
    [
      { action: "delete", path: "dir", recursive: true },
      "Deleted directory /workspace/dir: 1 file in 1 directory, 16 bytes.",
    ],
    [{ action: "delete", path: "b.txt" }, "Deleted /workspace/b.txt."],
  ];
  for (const [input, expected] of steps) {
    const said = await say(files, input);
    if (typeof expected === "string") expect(said).toBe(expected);
    else expect(said).toMatch(expected);
  }
});

test("content that is an object is written as JSON, and text is never changed", async () => {
  using files = filesUnderTest();
  await say(files, { action: "write", path: "a.json", content: { name: "x", list: [1, null] } });
  expect(files.text("a.json")).toBe('{\n  "name": "x",\n  "list": [\n    1,\n    null\n  ]\n}\n');
  for (const text of ["true", "5", "null", '{"a":1}', " ", ""]) {
    await say(files, { action: "write", path: "text", content: text });
    expect(files.text("text")).toBe(text);
  }
});

test("list says what it omits", async () => {
  using files = filesUnderTest();
  mkdirSync(files.path(".git"));
  files.put(".gitignore", "node_modules\n");
  files.put("node_modules/x", "");
  for (let index = 0; index < 70; index++) files.put(`many/${String(index).padStart(2, "0")}`, "");
  symlinkSync("many", files.path("link"));
  const text = await say(files, { action: "list" });
  expect(text.split("\n").filter((line) => !/^ {2}\d\d /.test(line))).toEqual([
    "/workspace/: 4 entries; below: 62 files (17 B), 2 directories; ignored by git: node_modules (shown with no_ignore: true)",
    ".git/",
    ".gitignore  13 B",
    "link -> many",
    "many/  (70 entries)",
    "  [… 10 entries omitted]",
  ]);
});

test("stat says what is there", async () => {
  using files = filesUnderTest();
  files.put("file", "abc");
  symlinkSync("file", files.path("link"));
  expect(await say(files, { action: "stat", path: "link" })).toMatch(
    /^\/workspace\/link \(really \/workspace\/file\): file \(text\), 3 bytes, mode 06\d\d, owner \d+:\d+, modified 20\S+Z, changed 20\S+Z, created 20\S+Z\nIt is a symlink to "file"\.\nsha256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad$/,
  );
});

test("a caller that may only read is shown the reading actions, marked read-only", async () => {
  expect(readOnlyFile.hints).toEqual({
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  });
  expect(Object.keys(readOnlyFile.input.shape)).toEqual([
    "action",
    "path",
    "offset",
    "limit",
    "column",
    "depth",
    "no_ignore",
    "encoding",
    "sandbox",
  ]);
  expect(JSON.stringify([readOnlyFile.description, jsonSchema(readOnlyFile.input, "input")])).not.toMatch(
    /write|edit|append|delete|move|copy/,
  );
  expect(toolFor("file", ["sandbox:read", "sandbox:write"])).toEqual({
    ...file,
    input: expect.anything(),
    run: expect.anything(),
  });
  using files = filesUnderTest();
  const { content, isError } = await call(files, { action: "write", path: "x" }, readOnlyFile);
  expect([isError, content]).toEqual([true, [{ type: "text", text: expect.stringMatching(/^Argument "action": /) }]]);
});

test("answers and errors stay under their limits, and keep their ends", async () => {
  using files = filesUnderTest();
  const line = (letter: string) => letter.repeat(4_000);
  files.put("file", Array.from({ length: 60 }, (_, index) => `${line("a")}${index}`).join("\n"));
  const old_string = Array.from({ length: 40 }, (_, index) => `${line("a")}${index}b`).join("\n");
  const missed = await say(files, { action: "edit", path: "file", old_string, new_string: "x" });
  expect(missed.length).toBeLessThanOrEqual("ERROR ".length + limits.errorMaxChars);
  expect(missed).toMatch(
    /^ERROR old_string is not in[\s\S]*\n\[… [\d,]+ characters omitted\]\n[\s\S]*exactly as it is there\.$/,
  );
  const link = await callTool(wordy, {}, {} as ToolCall);
  expect(link.content).toEqual([
    { type: "text", text: expect.stringMatching(/^a+\n\[… [\d,]+ characters omitted\]\na+z$/) },
  ]);
});

const wordy: Tool = {
  ...file,
  input: z.object({}),
  run: async () => ({ outcome: content(`${"a".repeat(50_000)}z`), notice: null }),
};
