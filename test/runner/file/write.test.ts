// file-write and file-append: all the requested bytes are on disk when the call is answered, and a failure leaves the old file.

import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { done, failureOf, filesUnderTest, replace } from "./files-under-test.ts";

const HASH_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

test("file-write creates a file with its parents, and answers size and hash", async () => {
  using files = filesUnderTest();
  expect(done(await files.write("a/b/c.txt", "abc"))).toEqual({
    path: files.path("a/b/c.txt"),
    real_path: null,
    dry_run: false,
    size_before: null,
    size: 3,
    sha256: HASH_OF_ABC,
    diff: null,
    other_links: 0,
    in_place: false,
    unchanged: false,
    endings: null,
    bom_dropped: false,
  });
  expect(files.text("a/b/c.txt")).toBe("abc");
  expect((statSync(files.path("a/b/c.txt")).mode & 0o777).toString(8)).toBe((0o666 & ~process.umask()).toString(8));
});

test.each<[string, string]>([
  ["nothing", ""],
  ["no newline at the end", "a"],
  ["CRLF", "a\r\nb\r\n"],
  ["a BOM", "\ufeffa\n"],
  ["NUL and controls", "a\0b\x1b[0m\x7f\n"],
  ["$& and backslashes", "$& \\n \\ %d `y`\n"],
  ["every plane", "ä€😀\u2028\ufffd\n"],
  ["more than one piece", "0123456789abcdef\n".repeat(100_000)],
  ["18 KB and one", "x".repeat(18_433)],
])("write keeps %s", async (_, content) => {
  using files = filesUnderTest();
  expect(done(await files.write("file", content)).size).toBe(Buffer.byteLength(content));
  expect(files.get("file").equals(Buffer.from(content))).toBe(true);
});

test("file-write and file-append accept bytes as base64", async () => {
  using files = filesUnderTest();
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 7) % 256));
  const lines = bytes.toString("base64").replace(/.{76}/g, "$&\n");
  done(await files.write("file", lines, { encoding: "base64" }));
  done(await files.append("file", bytes.toString("base64"), { encoding: "base64" }));
  expect(files.get("file").equals(Buffer.concat([bytes, bytes]))).toBe(true);
});

test.each<[string, string, string]>([
  [
    "a stray character",
    "abc$",
    'content is not base64, and nothing was written. Character 4 is "$". Send standard base64 (A-Z a-z 0-9 + / =).',
  ],
  [
    "plain text",
    "hello world!",
    'content is not base64, and nothing was written. Character 11 is "!". Send standard base64 (A-Z a-z 0-9 + / =).',
  ],
  [
    "half a byte",
    "abcde",
    "content is not base64, and nothing was written. It ends in the middle of a byte. Send standard base64 (A-Z a-z 0-9 + / =).",
  ],
])("write refuses base64 with %s", async (_, content, message) => {
  using files = filesUnderTest();
  expect(failureOf(await files.write("file", content, { encoding: "base64" }))).toEqual({
    reason: "invalid_request",
    message,
  });
  expect(readdirSync(files.roots.workspace)).toEqual([]);
});

test("file-write refuses half a character instead of writing another", async () => {
  using files = filesUnderTest();
  expect(failureOf(await files.write("file", "a\ud83d"))).toMatchObject({ reason: "invalid_request" });
  expect(failureOf(await files.append("file", "\ude00"))).toMatchObject({ reason: "invalid_request" });
  expect(readdirSync(files.roots.workspace)).toEqual([]);
});

test.each<[string, string | Buffer, string, boolean]>([
  ["the same text", "a\nb\n", "a\nb\n", true],
  ["its line ends elsewhere", "a\r\nb\n", "a\nb\r\n", false],
  ["other bytes that look the same", Buffer.from("\xff\xfea\0", "latin1"), "\ufeffa", false],
  ["the same large text", "x".repeat(600_000), "x".repeat(600_000), true],
])("write says of %s whether anything changed", async (_, before, after, unchanged) => {
  using files = filesUnderTest();
  files.put("file", before);
  expect(done(await files.write("file", after, { dry_run: true })).unchanged).toBe(unchanged);
  expect(done(await files.write("file", after)).unchanged).toBe(unchanged);
});

test("file-write keeps the mode of the file it replaces, and answers the difference and what is lost", async () => {
  using files = filesUnderTest();
  files.put("file", "\ufeffa\r\nb\r\n");
  chmodSync(files.path("file"), 0o750);
  const value = done(await files.write("file", "a\nc\n"));
  expect(value).toMatchObject({
    size_before: 9,
    size: 4,
    endings: { before: "crlf", after: "lf" },
    bom_dropped: true,
    diff: { text: "@@ -1,2 +1,2 @@\n a\n-b\n+c", added: 1, removed: 1, omitted_lines: 0 },
  });
  expect((statSync(files.path("file")).mode & 0o777).toString(8)).toBe("750");
});

test("file-write follows a symlink, also when its target does not exist", async () => {
  using files = filesUnderTest();
  files.put("real", "old\n");
  symlinkSync("real", files.path("link"));
  symlinkSync("deep/new", files.path("dangling"));
  expect(done(await files.write("link", "new\n"))).toMatchObject({ real_path: files.path("real"), size_before: 4 });
  expect(done(await files.write("dangling", "new\n"))).toMatchObject({
    real_path: files.path("deep/new"),
    size_before: null,
  });
  expect([files.text("real"), files.text("deep/new")]).toEqual(["new\n", "new\n"]);
  expect([lstatSync(files.path("link")).isSymbolicLink(), lstatSync(files.path("dangling")).isSymbolicLink()]).toEqual([
    true,
    true,
  ]);
});

test("file-write with if_absent fails when anything exists, and one of many concurrent calls wins", async () => {
  using files = filesUnderTest();
  files.put("file", "old\n");
  mkdirSync(files.path("dir"));
  expect(failureOf(await files.write("file", "new", { if_absent: true }))).toEqual({
    reason: "exists",
    path: files.path("file"),
    kind: "a file",
  });
  expect(failureOf(await files.write("dir", "new", { if_absent: true }))).toEqual({
    reason: "exists",
    path: files.path("dir"),
    kind: "a directory",
  });
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, index) => files.write("new", `${index}`, { if_absent: true })),
  );
  expect(results.map(({ ok }) => ok).filter(Boolean)).toEqual([true]);
  expect(files.text("new")).toBe(`${results.findIndex(({ ok }) => ok)}`);
});

test("file-write with expected_hash fails when the file has changed or does not exist", async () => {
  using files = filesUnderTest();
  files.put("file", "abc");
  expect(failureOf(await files.write("file", "x", { expected_hash: "0".repeat(12) }))).toEqual({
    reason: "changed",
    path: files.path("file"),
    actual: HASH_OF_ABC,
  });
  expect(failureOf(await files.write("none", "x", { expected_hash: "0".repeat(12) }))).toEqual({
    reason: "changed",
    path: files.path("none"),
    actual: null,
  });
  done(await files.write("file", "x", { expected_hash: HASH_OF_ABC.slice(0, 12) }));
  expect(files.text("file")).toBe("x");
});

test.each<[string, string, Buffer | string | null, string, Buffer | string, object]>([
  ["to nothing", "new/file", null, "a\n", "a\n", { size_before: null, appended_bytes: 2, continued_line: false }],
  ["to text", "file", "a\n", "b\n", "a\nb\n", { size_before: 2, size: 4, appended_bytes: 2 }],
  ["to an open line", "file", "a", "b", "ab", { continued_line: true }],
  ["with CRLF to CRLF", "file", "a\r\n", "b\nc\n", "a\r\nb\r\nc\r\n", { endings: "crlf", appended_bytes: 6 }],
  ["as it is to mixed endings", "file", "a\r\nb\n", "c\n", "a\r\nb\nc\n", { endings: "lf" }],
  ["as it is to binary", "file", Buffer.from("\0\r\n"), "c\n", Buffer.from("\0\r\nc\n"), {}],
  [
    "to UTF-16",
    "file",
    Buffer.from("\ufeffa\r\n", "utf16le"),
    "ü\n",
    Buffer.from("\ufeffa\r\nü\r\n", "utf16le"),
    { encoding: "utf-16le" },
  ],
])("append adds %s", async (_, name, before, added, after, report) => {
  using files = filesUnderTest();
  if (before !== null) files.put(name, before);
  const value = done(await files.append(name, added));
  expect(value).toMatchObject(report);
  expect(files.get(name)).toEqual(Buffer.from(after));
  expect(value.sha256).toBe(done(await files.call("file-stat", { path: name })).sha256);
});

test("file-append keeps the content of a large file when others append too", async () => {
  using files = filesUnderTest();
  files.put("file", "x".repeat(5 * 1024 * 1024));
  await Promise.all(Array.from({ length: 10 }, (_, index) => files.append("file", `${index}\n`)));
  const text = files.text("file");
  expect(text.length).toBe(5 * 1024 * 1024 + 20);
  expect(text.slice(-20).split("\n").toSorted().join("")).toBe("0123456789");
});

test.each<[string, (files: ReturnType<typeof filesUnderTest>) => void, string, object]>([
  [
    "a directory",
    (files) => mkdirSync(files.path("x")),
    "x",
    { reason: "wrong_kind", expected: "a regular file", actual: "a directory" },
  ],
  ["a directory by its slash", () => undefined, "x/", { reason: "wrong_kind", expected: "a file" }],
  ["below a file", (files) => void files.put("f", ""), "f/x", { reason: "wrong_kind", actual: "below a file" }],
  ["a circle of symlinks", (files) => symlinkSync("x", files.path("x")), "x", { reason: "refused" }],
  ["a name too long", () => undefined, `${"n".repeat(256)}`, { reason: "invalid_request" }],
  ["a path too long", () => undefined, `${"n/".repeat(2_100)}x`, { reason: "invalid_request" }],
  [
    "a NUL",
    () => undefined,
    "a\0b",
    {
      reason: "invalid_request",
      message: 'The path "a\\u0000b" contains a NUL byte, which no path can contain. Remove it.',
    },
  ],
  ["a file of the kernel", () => undefined, "/proc/version", { reason: "refused" }],
])("write refuses %s", async (_, prepare, path, failure) => {
  using files = filesUnderTest();
  prepare(files);
  expect(failureOf(await files.write(path, "x"))).toMatchObject(failure);
});

test("resolvePath() starts at the workspace, at / and at ~", async () => {
  using files = filesUnderTest();
  done(await files.write("~/dot", "a"));
  expect(done(await files.read("~/dot")).path).toBe(`${files.roots.home}/dot`);
  expect(done(await files.read(`${files.roots.home}/dot`)).path).toBe(`${files.roots.home}/dot`);
  expect(failureOf(await files.read("dot"))).toEqual({
    reason: "no_such_path",
    path: files.path("dot"),
    above: files.roots.workspace,
    similar: [],
  });
});

/** Runs on a file system of 256 KiB in a mount namespace. The exit code is 77 where none may be made. */
test("file-write leaves the old file intact, with nothing beside it, when the disk is full", () => {
  const script = fileURLToPath(new URL("full-disk.ts", import.meta.url));
  const ran = spawnSync("unshare", ["--user", "--map-root-user", "--mount", process.execPath, script], {
    encoding: "utf8",
  });
  if (ran.error !== undefined || /unshare/.test(ran.stderr)) return;
  expect(ran.stderr + ran.stdout).toBe("");
  expect([0, 77]).toContain(ran.status);
});

test("file-edit writes in place and says so when the file cannot be replaced", async () => {
  using files = filesUnderTest();
  const script = fileURLToPath(new URL("mounted-file.ts", import.meta.url));
  const ran = spawnSync("unshare", ["--user", "--map-root-user", "--mount", process.execPath, script], {
    encoding: "utf8",
  });
  if (ran.error !== undefined || /unshare/.test(ran.stderr)) return;
  expect(ran.stderr + ran.stdout).toBe("");
  files.put("file", "a\n");
  expect(done(await files.edit("file", [replace("a", "b")])).in_place).toBe(false);
});

test("file-write removes what an earlier runner left in its directory, and nothing else", () => {
  using files = filesUnderTest();
  const left = `.sandbox-mcp-${"0".repeat(32)}.tmp`;
  files.put(`${left}/in a tree`, "");
  files.put(".sandbox-mcp-mine.tmp", "");
  const script = fileURLToPath(new URL("first-write.ts", import.meta.url));
  const ran = spawnSync(process.execPath, [script, files.roots.workspace, files.roots.home], { encoding: "utf8" });
  expect(ran.stderr).toBe("");
  expect(readdirSync(files.roots.workspace).sort()).toEqual([
    `.sandbox-mcp-${"1".repeat(32)}.tmp`,
    ".sandbox-mcp-mine.tmp",
    "file",
  ]);
});
