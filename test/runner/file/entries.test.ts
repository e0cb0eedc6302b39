// Operations on whole files and directories: list, stat, mkdir, move, copy and delete, and never more than was asked for.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { expect, test, vi } from "vitest";
import { checkCopyable } from "../../../container/runner/file/copyable.ts";
import type { RequestOf } from "../../../src/contract/operation.ts";
import { done, type FilesUnderTest, failureOf, filesUnderTest } from "./files-under-test.ts";

const list = (files: FilesUnderTest, options: Partial<RequestOf<"file-list">> = {}) =>
  files.call("file-list", { path: ".", depth: 3, no_ignore: false, offset: 0, limit: 500, ...options });
const move = (files: FilesUnderTest, from: string, to: string, options = {}) =>
  files.call("file-move", { from, to, overwrite: false, dry_run: false, ...options });
const copy = (files: FilesUnderTest, from: string, to: string, options = {}) =>
  files.call("file-copy", { from, to, overwrite: false, dry_run: false, ...options });
const remove = (files: FilesUnderTest, path: string, options = {}) =>
  files.call("file-delete", { path, recursive: false, dry_run: false, ...options });

async function namesOf(files: FilesUnderTest, options: Partial<RequestOf<"file-list">> = {}): Promise<string[]> {
  return done(await list(files, options)).entries.map(({ name, depth }) => `${"  ".repeat(depth - 1)}${name}`);
}

function repository(files: FilesUnderTest): void {
  mkdirSync(files.path(".git/info"), { recursive: true });
  files.put(".git/info/exclude", "private\n");
  files.put(".gitignore", "node_modules/\n*.log\n!keep.log\n/dist\n");
  files.put("private", "");
  files.put("a.log", "");
  files.put("keep.log", "");
  files.put("dist/out.js", "");
  files.put("node_modules/x/index.js", "");
  files.put("src/dist/in.ts", "in");
  files.put("src/.gitignore", "generated.*\n!a.log\n");
  files.put("src/generated.ts", "");
  files.put("src/a.log", "");
}

test("file-list leaves out what git ignores, the nearest rule first, and counts it", async () => {
  using files = filesUnderTest();
  repository(files);
  expect(await namesOf(files)).toEqual([
    ".git",
    ".gitignore",
    "keep.log",
    "src",
    "  .gitignore",
    "  a.log",
    "  dist",
    "    in.ts",
  ]);
  expect(done(await list(files))).toMatchObject({
    inside: { entries: 4, listed: 4, ignored: 4 },
    ignored_names: ["a.log", "dist", "node_modules", "private", "generated.ts"],
  });
  expect(await namesOf(files, { no_ignore: true, depth: 1 })).toEqual([
    ".git",
    ".gitignore",
    "a.log",
    "dist",
    "keep.log",
    "node_modules",
    "private",
    "src",
  ]);
});

test("file-list shows an ignored directory when it is the path, except for what its own rules ignore", async () => {
  using files = filesUnderTest();
  repository(files);
  files.put("node_modules/x/.gitignore", "build\n");
  files.put("node_modules/x/build/y", "");
  expect(await namesOf(files, { path: "node_modules" })).toEqual(["x", "  .gitignore", "  index.js"]);
  expect(await namesOf(files, { path: "node_modules/x" })).toEqual([".gitignore", "index.js"]);
  expect(await namesOf(files, { path: "src" })).toEqual([".gitignore", "a.log", "dist", "  in.ts"]);
});

test("file-list shows kinds, sizes and symlink targets, and opens directories to the depth", async () => {
  using files = filesUnderTest();
  files.put("dir/sub/deep/file", "abc");
  files.put("file", "12345");
  symlinkSync("dir", files.path("link"));
  spawnSync("mkfifo", [files.path("pipe")]);
  const { entries, inside } = done(await list(files, { depth: 2 }));
  expect(inside).toEqual({ entries: 4, listed: 4, ignored: 0 });
  const nothing = { target: null, inside: null };
  expect(entries.map((entry) => (entry.kind === "directory" ? { ...entry, size: 0 } : entry))).toEqual([
    { name: "dir", depth: 1, kind: "directory", size: 0, target: null, inside: { entries: 1, listed: 1, ignored: 0 } },
    { name: "sub", depth: 2, kind: "directory", size: 0, ...nothing },
    { name: "file", depth: 1, kind: "file", size: 5, ...nothing },
    { name: "link", depth: 1, kind: "symlink", size: 3, target: "dir", inside: null },
    { name: "pipe", depth: 1, kind: "fifo", size: 0, ...nothing },
  ]);
});

test("file-list cuts the deepest levels first, says what it leaves out, and pages", async () => {
  using files = filesUnderTest();
  for (let index = 0; index < 100; index++) files.put(`a/${String(index).padStart(3, "0")}`, "");
  for (const name of ["b", "c", "d"]) files.put(`${name}/x`, "");
  expect((await namesOf(files)).filter((name) => !name.startsWith(" "))).toEqual(["a", "b", "c", "d"]);
  const capped = done(await list(files, { limit: 10 }));
  expect(capped.entries.length).toBe(10);
  expect(capped.entries[0]).toMatchObject({ name: "a", inside: { entries: 100, listed: 6 } });
  expect(await namesOf(files, { path: "a", offset: 97, limit: 2 })).toEqual(["097", "098"]);
  expect(done(await list(files, { path: "a", offset: 97, limit: 2 })).inside).toEqual({
    entries: 100,
    listed: 2,
    ignored: 0,
  });
});

test("file-list shows names that are not valid UTF-8", async () => {
  using files = filesUnderTest();
  const bad = Buffer.concat([Buffer.from(files.path("caf")), Buffer.from([0xe9])]);
  mkdirSync(bad);
  writeFileSync(Buffer.concat([bad, Buffer.from("/new\nline")]), "");
  files.put("grüße 😀", "");
  const value = done(await list(files));
  expect(value.entries.map(({ name }) => name)).toEqual(["caf\\xe9", "new\\x0aline", "grüße 😀"]);
  expect(value.undecodable_names).toBe(true);
  done(await copy(files, ".", "../copy"));
  expect(readdirSync(files.path("../copy"), { encoding: "buffer" }).map((name) => name.toString("latin1"))).toContain(
    "caf\xe9",
  );
});

test("file-list fails when the path is a file or does not exist", async () => {
  using files = filesUnderTest();
  files.put("file", "");
  expect(failureOf(await list(files, { path: "file" }))).toEqual({
    reason: "wrong_kind",
    path: files.path("file"),
    expected: "a directory",
    actual: "a file",
  });
  expect(failureOf(await list(files, { path: "none" }))).toMatchObject({ reason: "no_such_path" });
});

test("file-stat follows a symlink and reports it", async () => {
  using files = filesUnderTest();
  files.put("file", "abc");
  chmodSync(files.path("file"), 0o600);
  utimesSync(files.path("file"), 1_700_000_000, 1_700_000_000);
  symlinkSync("file", files.path("link"));
  symlinkSync("nowhere", files.path("dangling"));
  expect(done(await files.call("file-stat", { path: "link" }))).toMatchObject({
    path: files.path("link"),
    real_path: files.path("file"),
    kind: "file",
    link_target: "file",
    size: 3,
    mode: "0600",
    links: 1,
    modified_at: 1_700_000_000_000,
    what: "text",
    sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  });
  expect(done(await files.call("file-stat", { path: "dangling" }))).toMatchObject({
    kind: "symlink",
    link_target: "nowhere",
    sha256: null,
  });
  expect(done(await files.call("file-stat", { path: "." }))).toMatchObject({
    kind: "directory",
    entries: 3,
    what: null,
  });
  expect(failureOf(await files.call("file-stat", { path: "none" }))).toMatchObject({ reason: "no_such_path" });
});

test("file-mkdir creates a directory with its parents, and succeeds when it exists", async () => {
  using files = filesUnderTest();
  const make = (path: string, dry_run = false) => files.call("file-mkdir", { path, dry_run });
  expect(done(await make("a/b", true)).created).toEqual([files.path("a"), files.path("a/b")]);
  expect(existsSync(files.path("a"))).toBe(false);
  expect(done(await make("a/b")).created).toEqual([files.path("a"), files.path("a/b")]);
  expect(done(await make("a/b/")).created).toEqual([]);
  files.put("file", "");
  expect(failureOf(await make("file/x"))).toMatchObject({ reason: "wrong_kind" });
  expect(failureOf(await make("file"))).toMatchObject({ reason: "wrong_kind", expected: "a directory" });
});

test("file-move renames, creates parents, goes into a directory with a slash, and moves a symlink itself", async () => {
  using files = filesUnderTest();
  files.put("a", "a");
  symlinkSync("new/b", files.path("link"));
  expect(done(await move(files, "a", "new/b"))).toEqual({
    from: files.path("a"),
    to: files.path("new/b"),
    kind: "file",
    dry_run: false,
    replaced: false,
  });
  expect(done(await move(files, "link", "new/")).to).toBe(files.path("new/link"));
  expect(readlinkSync(files.path("new/link"))).toBe("new/b");
  done(await move(files, "new", "other/dir"));
  expect([readdirSync(files.roots.workspace), readdirSync(files.path("other/dir")).sort()]).toEqual([
    ["other"],
    ["b", "link"],
  ]);
});

test.each<[string, string, string, object, object]>([
  ["onto a file", "a", "b", {}, { reason: "exists", kind: "a file" }],
  ["onto a directory", "a", "dir", {}, { reason: "exists", kind: "a directory" }],
  ["a file onto a directory, even to overwrite", "a", "dir", { overwrite: true }, { reason: "exists" }],
  ["a directory onto a directory, even to overwrite", "dir", "other", { overwrite: true }, { reason: "exists" }],
  ["a directory into itself", "dir", "dir/x/y", {}, { reason: "invalid_request" }],
  ["onto itself", "a", "./a", {}, { reason: "invalid_request" }],
  ["what is not there", "none", "x", {}, { reason: "no_such_path" }],
  ["below a file", "a", "b/x", {}, { reason: "wrong_kind", actual: "below a file" }],
  ["the workspace", ".", "../x", {}, { reason: "refused" }],
  ["a system directory", "/usr", "x", {}, { reason: "refused" }],
])("move refuses %s, and leaves all as it was", async (_, from, to, options, failure) => {
  using files = filesUnderTest();
  files.put("a", "a");
  files.put("b", "b");
  files.put("dir/file", "");
  files.put("other/file", "");
  expect(failureOf(await move(files, from, to, options))).toMatchObject(failure);
  expect([files.text("a"), files.text("b"), await namesOf(files)]).toEqual([
    "a",
    "b",
    ["a", "b", "dir", "  file", "other", "  file"],
  ]);
});

test("file-move replaces a file when overwrite is set, and only reports it when dry_run is set", async () => {
  using files = filesUnderTest();
  files.put("a", "a");
  files.put("b", "b");
  expect(done(await move(files, "a", "b", { overwrite: true, dry_run: true }))).toMatchObject({
    replaced: true,
    dry_run: true,
  });
  expect(files.text("b")).toBe("b");
  done(await move(files, "a", "b", { overwrite: true }));
  expect([readdirSync(files.roots.workspace), files.text("b")]).toEqual([["b"], "a"]);
});

test("file-move removes the first name when the target is another name of the same file", async () => {
  using files = filesUnderTest();
  files.put("a", "a");
  linkSync(files.path("a"), files.path("b"));
  expect(failureOf(await move(files, "a", "b"))).toMatchObject({ reason: "exists" });
  expect(done(await move(files, "a", "b", { overwrite: true }))).toMatchObject({ replaced: true });
  expect([readdirSync(files.roots.workspace), files.text("b")]).toEqual([["b"], "a"]);
});

test("file-move moves between file systems", async () => {
  if (!existsSync("/dev/shm") || statSync("/dev/shm").dev === statSync("/tmp").dev) return;
  using files = filesUnderTest();
  files.put("dir/a", "a");
  symlinkSync("a", files.path("dir/link"));
  chmodSync(files.path("dir/a"), 0o755);
  const away = `/dev/shm/files-test-${process.pid}`;
  done(await move(files, "dir", away));
  expect(existsSync(files.path("dir"))).toBe(false);
  done(await copy(files, away, "copy"));
  done(await remove(files, "copy", { recursive: true }));
  done(await move(files, away, "back"));
  expect(existsSync(away)).toBe(false);
  expect([
    files.text("back/a"),
    readlinkSync(files.path("back/link")),
    statSync(files.path("back/a")).mode & 0o777,
  ]).toEqual(["a", "a", 0o755]);
});

test("file-copy copies a tree with modes, times and symlinks, and counts it", async () => {
  using files = filesUnderTest();
  files.put("from/a/b", "abc");
  files.put("from/run", "#!/bin/sh\n");
  chmodSync(files.path("from/run"), 0o755);
  utimesSync(files.path("from/a/b"), 1_700_000_000, 1_700_000_000);
  symlinkSync("a/b", files.path("from/link"));
  mkdirSync(files.path("from/empty"));
  expect(done(await copy(files, "from", "to/there", { dry_run: true }))).toMatchObject({ files: 3, dry_run: true });
  expect(existsSync(files.path("to"))).toBe(false);
  expect(done(await copy(files, "from", "to/there"))).toEqual({
    from: files.path("from"),
    to: files.path("to/there"),
    kind: "directory",
    dry_run: false,
    files: 3,
    directories: 3,
    bytes: 13,
    replaced: 0,
  });
  expect(await namesOf(files, { path: "to/there" })).toEqual(["a", "  b", "empty", "link", "run"]);
  expect([
    statSync(files.path("to/there/run")).mode & 0o777,
    statSync(files.path("to/there/a/b")).mtimeMs,
    readlinkSync(files.path("to/there/link")),
  ]).toEqual([0o755, 1_700_000_000_000, "a/b"]);
});

test.each<[string, string, string, object, object]>([
  ["onto a file", "a", "b", {}, { reason: "exists" }],
  ["onto a directory", "dir", "other", {}, { reason: "exists" }],
  ["a file onto a directory, even to overwrite", "a", "dir", { overwrite: true }, { reason: "exists" }],
  ["into itself", "dir", "dir/x", {}, { reason: "invalid_request" }],
  ["a FIFO", "pipe", "x", {}, { reason: "wrong_kind", actual: "a FIFO" }],
  ["a tree with a FIFO in it", "other", "x", {}, { reason: "wrong_kind", actual: "a FIFO" }],
])("copy refuses %s, and leaves all as it was", async (_, from, to, options, failure) => {
  using files = filesUnderTest();
  files.put("a", "a");
  files.put("b", "b");
  files.put("dir/file", "");
  mkdirSync(files.path("other"));
  spawnSync("mkfifo", [files.path("pipe"), files.path("other/pipe")]);
  const before = await namesOf(files);
  expect(failureOf(await copy(files, from, to, options))).toMatchObject(failure);
  expect([files.text("b"), await namesOf(files)]).toEqual(["b", before]);
});

test.each([
  ["a file", "old"],
  ["a tree", "tree"],
])("copy of %s with old times stands beside a first write into the same directory", async (_, from) => {
  using files = filesUnderTest();
  utimesSync(files.put("old", "a"), 1, 1);
  utimesSync(files.put("tree/a", "a"), 1, 1);
  utimesSync(files.path("tree"), 1, 1);
  // In the place of the real one: it holds the copy where all is copied and nothing has its name.
  files.put(
    "bin/sync",
    `#!/bin/sh\ntouch '${files.path("held")}'\nuntil [ -e '${files.path("go")}' ]; do sleep 0.01; done\n`,
  );
  chmodSync(files.path("bin/sync"), 0o755);
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = `${files.path("bin")}:${path}`;
  try {
    const copied = copy(files, from, "to/copy");
    await vi.waitFor(() => expect(existsSync(files.path("held"))).toBe(true));
    done(await files.write("to/file", "b"));
    // The sweep has no end that can be waited for: a second directory's sweep comes after it.
    for (let index = 0; index < 20; index++) done(await files.write(`later${index}/file`, "b"));
    files.put("go", "");
    done(await copied);
  } finally {
    process.env["PATH"] = path;
  }
  expect([readdirSync(files.path("to")).sort(), statSync(files.path("to/copy")).mtimeMs]).toEqual([
    ["copy", "file"],
    1_000,
  ]);
});

test("file-copy merges a tree into an existing one when overwrite is set", async () => {
  using files = filesUnderTest();
  files.put("from/a", "new");
  files.put("from/sub/b", "new");
  files.put("to/a", "old");
  files.put("to/c", "old");
  expect(done(await copy(files, "from", "to", { overwrite: true }))).toMatchObject({ files: 2, replaced: 1 });
  expect([files.text("to/a"), files.text("to/sub/b"), files.text("to/c")]).toEqual(["new", "new", "old"]);
});

/** Directories whose paths are longer than Linux accepts in one call, with a file in each. */
function makeDeep(files: FilesUnderTest, top: string): void {
  const script = `mkdir -p "$1"; cd "$1"; for i in $(seq 25); do touch file; mkdir $2; cd $2; done; touch file`;
  expect(spawnSync("sh", ["-c", script, "sh", files.path(top), "n".repeat(200)]).status).toBe(0);
}

test("file-copy refuses a tree with paths longer than Linux accepts, and file-delete deletes it", async () => {
  using files = filesUnderTest();
  makeDeep(files, "deep");
  for (const dry_run of [true, false])
    expect(failureOf(await copy(files, "deep", "to/copy", { dry_run }))).toMatchObject({
      reason: "refused",
      subject: `"${files.path("deep")}"`,
      message: expect.stringMatching(/ENAMETOOLONG/),
    });
  expect(readdirSync(files.roots.workspace)).toEqual(["deep"]);
  expect(done(await remove(files, "deep", { recursive: true }))).toMatchObject({ counted_all: true });
  expect(readdirSync(files.roots.workspace)).toEqual([]);
});

test("file-move leaves a tree in place when its paths are longer than Linux accepts and it would have to be copied", async () => {
  if (!existsSync("/dev/shm") || statSync("/dev/shm").dev === statSync("/tmp").dev) return;
  using files = filesUnderTest();
  makeDeep(files, "deep");
  const away = `/dev/shm/files-test-deep-${process.pid}`;
  for (const dry_run of [true, false])
    expect(failureOf(await move(files, "deep", `${away}/new/deep`, { dry_run }))).toMatchObject({
      reason: "refused",
      subject: `"${files.path("deep")}"`,
    });
  expect([existsSync(files.path("deep/file")), existsSync(away)]).toEqual([true, false]);
  done(await remove(files, "deep", { recursive: true }));
});

test("checkCopyable() refuses a tree when it has too many entries", async () => {
  using files = filesUnderTest();
  files.put("tree/a", "");
  files.put("tree/b", "");
  const from = { path: "tree", real: files.path("tree") };
  expect(await checkCopyable(from, { expected: "a file", maxEntries: 3 })).toEqual({
    ok: true,
    value: { files: 2, directories: 1, bytes: 0 },
  });
  expect(failureOf(await checkCopyable(from, { expected: "a file", maxEntries: 2 }))).toMatchObject({
    reason: "refused",
    subject: '"tree"',
  });
});

test("file-delete deletes a file, a symlink but not its target, an empty directory, and a full one when recursive is set", async () => {
  using files = filesUnderTest();
  files.put("dir/a", "abc");
  files.put("dir/b/c", "de");
  mkdirSync(files.path("empty"));
  symlinkSync("dir", files.path("link"));
  expect(done(await remove(files, "link", { recursive: true }))).toMatchObject({ kind: "symlink", files: 1 });
  expect(done(await remove(files, "empty"))).toMatchObject({ kind: "directory" });
  expect(failureOf(await remove(files, "dir"))).toEqual({ reason: "not_empty", path: files.path("dir"), entries: 2 });
  const dry = done(await remove(files, "dir", { recursive: true, dry_run: true }));
  expect(dry).toEqual({
    path: files.path("dir"),
    kind: "directory",
    dry_run: true,
    files: 2,
    directories: 2,
    bytes: 5,
    counted_all: true,
  });
  expect(existsSync(files.path("dir/b/c"))).toBe(true);
  expect(done(await remove(files, "dir", { recursive: true }))).toEqual({ ...dry, dry_run: false });
  expect(readdirSync(files.roots.workspace)).toEqual([]);
  expect(failureOf(await remove(files, "dir"))).toMatchObject({ reason: "no_such_path" });
});

test.each([
  "/",
  ".",
  "",
  "./",
  "../workspace",
  "~",
  "..",
  "/usr",
  "/etc",
  "/tmp",
  "/usr/bin/",
  "/proc/1",
  "/dev/null",
  "/dev/shm",
  "/dev/mqueue/",
  "/dev/shmem/x",
  "sneaky/usr",
  "sneaky/etc/../usr/lib",
])("delete refuses %j", async (path) => {
  using files = filesUnderTest();
  symlinkSync("/", files.path("sneaky"));
  expect(
    failureOf(await remove(files, path === "" ? files.roots.workspace : path, { recursive: true, dry_run: true })),
  ).toMatchObject({ reason: "refused" });
  expect(lstatSync(files.path("sneaky")).isSymbolicLink()).toBe(true);
});
