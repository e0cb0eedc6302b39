// GET and PUT /files of a real runner.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type RunnerUnderTest, startRunner } from "../runner-under-test.ts";

let runner: RunnerUnderTest;
beforeAll(async () => {
  runner = await startRunner();
});
afterAll(() => runner.stop());

const urlOf = (path: string) => `${runner.url}/files?path=${encodeURIComponent(path)}`;
const get = (path: string, headers: Record<string, string> = {}) => fetch(urlOf(path), { headers });
const put = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(urlOf(path), { method: "PUT", body, headers });
const inside = (path: string) => join(runner.workspace, path);
const leftovers = () => readdirSync(runner.workspace).filter((name) => name.endsWith(".tmp"));

test("GET sends a file whole, with its length and tag", async () => {
  writeFileSync(inside("a.bin"), Buffer.from([0, 1, 2, 255]));
  const response = await get("a.bin");
  expect([response.status, response.headers.get("content-length"), response.headers.get("accept-ranges")]).toEqual([
    200,
    "4",
    "bytes",
  ]);
  expect(response.headers.get("etag")).toMatch(/^"[0-9a-z-]+"$/);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([0, 1, 2, 255]));
});

test.each<[string, number, string | null, string]>([
  ["bytes=2-4", 206, "bytes 2-4/10", "234"],
  ["bytes=7-", 206, "bytes 7-9/10", "789"],
  ["bytes=-3", 206, "bytes 7-9/10", "789"],
  ["bytes=-30", 206, "bytes 0-9/10", "0123456789"],
  ["bytes=5-100", 206, "bytes 5-9/10", "56789"],
  ["bytes=10-", 416, "bytes */10", ""],
  ["bytes=-0", 416, "bytes */10", ""],
  ["bytes=4-2", 200, null, "0123456789"],
  ["bytes=1-2,4-5", 200, null, "0123456789"],
  ["lines=1-2", 200, null, "0123456789"],
])("GET with Range %s answers %i", async (range, status, contentRange, body) => {
  writeFileSync(inside("range.txt"), "0123456789");
  const response = await get("range.txt", { range });
  expect([response.status, response.headers.get("content-range"), await response.text()]).toEqual([
    status,
    contentRange,
    body,
  ]);
});

test("GET answers 304 to the tag it gave, and another tag once the file has changed", async () => {
  writeFileSync(inside("tag.txt"), "one");
  const first = await get("tag.txt");
  const tag = first.headers.get("etag") ?? "";
  await first.text();
  expect((await get("tag.txt", { "if-none-match": `"x", W/${tag}` })).status).toBe(304);
  expect((await get("tag.txt", { "if-range": '"x"', range: "bytes=0-0" })).status).toBe(200);
  expect((await get("tag.txt", { "if-range": tag, range: "bytes=0-0" })).status).toBe(206);
  await put("tag.txt", "two");
  expect((await get("tag.txt", { "if-none-match": tag })).status).toBe(200);
  expect((await get("tag.txt", { "if-match": tag })).status).toBe(412);
});

test("GET sends an empty file, and files in /proc that report no size", async () => {
  writeFileSync(inside("empty.txt"), "");
  const empty = await get("empty.txt");
  expect([empty.status, await empty.text()]).toEqual([200, ""]);
  const version = await get("/proc/version");
  expect([version.status, await version.text()]).toEqual([200, readFileSync("/proc/version", "utf8")]);
});

test.each<[string, string, unknown]>([
  ["what is missing", "nope.txt", { reason: "no_such_path" }],
  ["a directory", "", { reason: "invalid_request" }],
  ["a directory that is named", "directory", { reason: "wrong_kind", actual: "a directory" }],
  ["a FIFO, at once", "pipe", { reason: "wrong_kind", actual: "a FIFO" }],
  ["a path with NUL", "a\0b", { reason: "invalid_request" }],
])("GET refuses %s", async (_, path, failure) => {
  mkdirSync(inside("directory"), { recursive: true });
  if (!existsSync(inside("pipe"))) execFileSync("mkfifo", [inside("pipe")]);
  const response = await get(path);
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject(failure as object);
});

test("PUT creates a file with its missing parents, and answers 201 with its tag", async () => {
  const response = await put("new/deep/é ü.txt", "content");
  expect([response.status, response.headers.get("etag")]).toEqual([
    201,
    (await get("new/deep/é ü.txt")).headers.get("etag"),
  ]);
  expect(readFileSync(inside("new/deep/é ü.txt"), "utf8")).toBe("content");
});

test("PUT replaces a file, keeps its mode, goes through a symlink, and answers 204", async () => {
  writeFileSync(inside("script.sh"), "old");
  chmodSync(inside("script.sh"), 0o750);
  symlinkSync("script.sh", inside("link.sh"));
  expect((await put("link.sh", "new")).status).toBe(204);
  expect(readFileSync(inside("script.sh"), "utf8")).toBe("new");
  expect(statSync(inside("script.sh")).mode & 0o777).toBe(0o750);
  expect(leftovers()).toEqual([]);
});

test("PUT accepts bytes of every kind, and GET returns them", async () => {
  const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7 + (index >> 8)) & 255);
  await put("bytes.bin", bytes);
  expect(Buffer.compare(readFileSync(inside("bytes.bin")), bytes)).toBe(0);
  expect(Buffer.compare(Buffer.from(await (await get("bytes.bin")).arrayBuffer()), bytes)).toBe(0);
});

test("PUT obeys If-Match and If-None-Match", async () => {
  expect((await put("cond.txt", "1", { "if-match": "*" })).status).toBe(412);
  expect((await put("cond.txt", "1", { "if-none-match": "*" })).status).toBe(201);
  expect((await put("cond.txt", "2", { "if-none-match": "*" })).status).toBe(412);
  const tag = (await get("cond.txt")).headers.get("etag") ?? "";
  expect((await put("cond.txt", "2", { "if-match": tag })).status).toBe(204);
  expect((await put("cond.txt", "3", { "if-match": tag })).status).toBe(412);
  expect(readFileSync(inside("cond.txt"), "utf8")).toBe("2");
});

test("PUT refuses a path that is not a regular file", async () => {
  mkdirSync(inside("taken"), { recursive: true });
  for (const path of ["taken", "taken/", "/dev/null"]) {
    const response = await put(path, "x");
    expect([path, response.status, await response.json()]).toEqual([
      path,
      422,
      expect.objectContaining({ reason: "wrong_kind" }),
    ]);
  }
});

test("PUT leaves the old file intact when the upload is incomplete", async () => {
  writeFileSync(inside("broken.txt"), "old");
  const { port } = new URL(runner.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    "PUT /files?path=broken.txt HTTP/1.1\r\nHost: runner\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
  );
  await eventually(() => leftovers().length === 1);
  socket.destroy();
  await eventually(() => leftovers().length === 0);
  expect(readFileSync(inside("broken.txt"), "utf8")).toBe("old");

  for (const body of ["", "hello", "helloEND", "hello-EN"]) {
    const short = await put("broken.txt", body, { "x-body-end": "-END" });
    expect([short.status, await short.json()]).toEqual([
      422,
      {
        reason: "invalid_request",
        message: "The upload is incomplete (its end did not arrive), and nothing was changed. Send it again.",
      },
    ]);
  }
  expect(readFileSync(inside("broken.txt"), "utf8")).toBe("old");
  expect(leftovers()).toEqual([]);
  expect((await put("broken.txt", "hello-END", { "x-body-end": "-END" })).status).toBe(204);
  expect(readFileSync(inside("broken.txt"), "utf8")).toBe("hello");
});

test("PUT leaves one of the contents intact when two run at the same time", async () => {
  const contents = Array.from({ length: 20 }, (_, index) => String.fromCharCode(97 + index).repeat(200_000));
  const statuses = await Promise.all(contents.map(async (content) => (await put("race.txt", content)).status));
  expect(statuses.toSorted().slice(0, 2)).toEqual([201, 204]);
  expect(contents).toContain(readFileSync(inside("race.txt"), "utf8"));
});

test("a client that disconnects leaves no file open", async () => {
  writeFileSync(inside("large.bin"), Buffer.alloc(50_000_000));
  const controller = new AbortController();
  const response = await fetch(urlOf("large.bin"), { signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  await eventually(() => !openFiles().includes(inside("large.bin")));
});

const openFiles = (): string[] => {
  try {
    return execFileSync("sh", ["-c", `ls -l /proc/${runner.pid}/fd`], { encoding: "utf8" }).split(/\s+/);
  } catch {
    return [];
  }
};

async function eventually(condition: () => boolean): Promise<void> {
  for (const until = Date.now() + 10_000; Date.now() < until; ) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("It did not happen");
}

test("PUT removes what an upload to an earlier runner left beside it", async () => {
  const workspace = mkdtempSync(join(tmpdir(), "transfer-test-"));
  writeFileSync(join(workspace, `.sandbox-mcp-${"0".repeat(32)}.tmp`), "");
  const later = await startRunner({ env: { RUNNER_WORKSPACE: workspace } });
  try {
    const url = `${later.url}/files?path=file`;
    expect((await fetch(url, { method: "PUT", body: "a" })).status).toBe(201);
    await vi.waitFor(() => expect(readdirSync(workspace)).toEqual(["file"]));
  } finally {
    await later.stop();
    rmSync(workspace, { recursive: true });
  }
});
