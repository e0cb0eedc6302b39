// GET, HEAD and PUT /files/<sandbox>/<path> through the Worker, the Durable Object and the runner.

import { createHash, randomBytes } from "node:crypto";
import { expect, inject, test } from "vitest";

const { origin, key, otherKey, readKey } = inject("server");
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** One sandbox for each test, so that they can run side by side. */
let made = 0;
const freshSandbox = () => `files-${process.pid}-${++made}`;

const urlOf = (sandbox: string, path: string) => `${origin}/files/${sandbox}/${path}`;
const get = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(url, { method, headers: { ...bearer(key), ...headers } });
const put = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "PUT", body, headers: { ...bearer(key), ...headers } });

test("a file is created, read, described by HEAD and overwritten", async () => {
  const url = urlOf(freshSandbox(), "dir/a%20b.txt");
  const created = await put(url, "hello");
  expect([created.status, await created.text()]).toEqual([201, ""]);
  const read = await get(url, { "accept-encoding": "identity" });
  expect(Object.fromEntries(read.headers)).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    "content-length": "5",
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache, no-transform",
    "content-disposition": "attachment",
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    etag: created.headers.get("etag"),
  });
  expect([read.status, await read.text()]).toEqual([200, "hello"]);
  const head = await get(url, {}, "HEAD");
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "5", ""]);
  expect((await put(url, "hello again")).status).toBe(204);
  expect(await (await get(url)).text()).toBe("hello again");
});

test("ranges and preconditions are honored", async () => {
  const url = urlOf(freshSandbox(), "digits.bin");
  await put(url, "0123456789");
  const part = await get(url, { range: "bytes=2-4" });
  expect([
    part.status,
    part.headers.get("content-range"),
    part.headers.get("content-length"),
    await part.text(),
  ]).toEqual([206, "bytes 2-4/10", "3", "234"]);
  const beyond = await get(url, { range: "bytes=50-" });
  expect([beyond.status, beyond.headers.get("content-range"), await beyond.json()]).toEqual([
    416,
    "bytes */10",
    { error: "The requested range is outside the file" },
  ]);
  const tag = part.headers.get("etag") ?? "";
  expect((await get(url, { "if-none-match": tag })).status).toBe(304);
  expect((await put(url, "x", { "if-none-match": "*" })).status).toBe(412);
  expect((await put(url, "x", { "if-match": tag })).status).toBe(204);
  const stale = await put(url, "y", { "if-match": tag });
  expect([stale.status, await stale.json()]).toEqual([
    412,
    { error: "The file does not match If-Match or If-None-Match, so nothing was changed" },
  ]);
  expect(await (await get(url)).text()).toBe("x");
});

test("an empty file is written and read, also after responses without a body", async () => {
  const url = urlOf(freshSandbox(), "empty");
  for (let turn = 0; turn < 3; turn++) {
    expect([201, 204]).toContain((await put(url, "")).status);
    const read = await get(url);
    expect([read.status, await read.text()]).toEqual([200, ""]);
    expect((await get(url, { "if-none-match": read.headers.get("etag") ?? "" })).status).toBe(304);
  }
});

test("paths may be relative to the workspace, start with its name, or be absolute", async () => {
  const sandbox = freshSandbox();
  await put(urlOf(sandbox, "a.txt"), "a");
  expect(await (await get(urlOf(sandbox, "workspace/a.txt"))).text()).toBe("a");
  expect(await (await get(urlOf(sandbox, "%2Fworkspace%2Fa.txt"))).text()).toBe("a");
  expect((await put(urlOf(sandbox, "/tmp/b.txt"), "b")).status).toBe(201);
  expect(await (await get(urlOf(sandbox, "..%2Ftmp/b.txt"))).text()).toBe("b");
  // Decoded once: the name of this file has a percent sign.
  await put(urlOf(sandbox, "100%2525"), "c");
  expect(await (await get(urlOf(sandbox, "100%2525"))).text()).toBe("c");
  expect((await get(urlOf(sandbox, "100%25"))).status).toBe(404);
});

test("a large file streams both ways unchanged", async () => {
  const url = urlOf(freshSandbox(), "large.bin");
  const part = randomBytes(1024 * 1024);
  const parts = 100;
  const sent = createHash("sha256");
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (partsSent === parts) return controller.close();
      partsSent += 1;
      sent.update(part);
      controller.enqueue(part);
    },
  });
  let partsSent = 0;
  const written = await fetch(url, { method: "PUT", body, headers: bearer(key), duplex: "half" } as RequestInit);
  expect(written.status).toBe(201);
  const read = await get(url);
  expect(read.headers.get("content-length")).toBe(String(parts * part.length));
  const got = createHash("sha256");
  for await (const chunk of read.body ?? []) got.update(chunk);
  expect(got.digest("hex")).toBe(sent.digest("hex"));
});

test("an upload that breaks changes nothing", async () => {
  const url = urlOf(freshSandbox(), "kept.txt");
  await put(url, "old");
  const broken = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(new Uint8Array(100_000));
      await new Promise((resolve) => setTimeout(resolve, 100));
      controller.error(new Error("broken"));
    },
  });
  await expect(
    fetch(url, { method: "PUT", body: broken, headers: bearer(key), duplex: "half" } as RequestInit),
  ).rejects.toThrow();
  expect(await (await get(url)).text()).toBe("old");
});

test.each<[string, () => Promise<Response>, number, RegExp]>([
  ["no key", () => fetch(urlOf("default", "a")), 401, /access key/],
  [
    "a key that only reads, for PUT",
    () => fetch(urlOf("default", "a"), { method: "PUT", body: "x", headers: bearer(readKey) }),
    403,
    /sandbox:write/,
  ],
  ["another method", () => get(urlOf("default", "a"), {}, "DELETE"), 405, /GET or HEAD/],
  ["no path", () => get(`${origin}/files/default/`), 400, /Name a sandbox and a file/],
  ["an invalid sandbox name", () => get(`${origin}/files/Bad_Name/a`), 400, /Name a sandbox and a file/],
  ["a bad encoding", () => get(urlOf("default", "%zz")), 400, /percent-encoded/],
  ["a missing file", () => get(urlOf("default", "nope.txt")), 404, /"\/workspace\/nope\.txt" does not exist/],
  ["a directory", () => get(urlOf("default", "%2Ftmp")), 400, /is a directory, not a regular file/],
])("%s is refused with an error that says why", async (_, call, status, words) => {
  const response = await call();
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: expect.stringMatching(words) });
});

test("a principal reaches only its own sandboxes", async () => {
  const url = urlOf(freshSandbox(), "secret.txt");
  await put(url, "mine");
  expect((await fetch(url, { headers: bearer(otherKey) })).status).toBe(404);
});

test("a preflight from a page of this host is allowed", async () => {
  const response = await fetch(urlOf("default", "a"), {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "PUT", "access-control-request-headers": "if-match" },
  });
  expect([response.status, response.headers.get("access-control-allow-methods")]).toEqual([
    204,
    expect.stringContaining("PUT"),
  ]);
});
