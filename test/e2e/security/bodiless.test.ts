// HEAD on every route. After an answer without a body the runtime breaks the next request on a connection, so each is followed by
// requests that must be served.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";

const { origin, url, key } = inject("server");
const sandbox = "bodiless";
const fileUrl = (path: string) => `${origin}/files/${sandbox}/${path}`;
const ask = (method: string, address: string, headers: Record<string, string> = {}) =>
  fetch(address, { method, headers: { authorization: `Bearer ${key}`, ...headers } });

let client: McpClient;

beforeAll(async () => {
  client = await connect("2026", { url, key });
  await client.call("exec", {
    sandbox,
    command: "echo hello > here; : > empty; mkdir directory; truncate -s 1G large",
  });
});
afterAll(() => client.close());

test.each<[what: string, path: string, headers: Record<string, string>, status: number, length: string | null]>([
  ["a file", "here", {}, 200, "6"],
  ["an empty file", "empty", {}, 200, "0"],
  ["a file of 1 GB", "large", {}, 200, String(2 ** 30)],
  ["a file that changes as it is read", "/proc/self/status", {}, 200, null],
  ["a range, which is for GET only", "here", { range: "bytes=1-2" }, 200, "6"],
  ["a file that the client has", "here", { "if-none-match": "*" }, 304, null],
  ["a file that has changed", "here", { "if-match": '"other"' }, 412, null],
  ["a missing file", "missing", {}, 404, null],
  ["a directory", "directory", {}, 400, null],
  ["a path below a file", "here/missing", {}, 400, null],
])("HEAD of %s is answered, and so are the requests after it", async (_, path, headers, status, length) => {
  for (let turn = 0; turn < 5; turn += 1) {
    const head = await ask("HEAD", fileUrl(path), headers);
    expect([head.status, await head.text()]).toEqual([status, ""]);
    if (length !== null) expect(head.headers.get("content-length")).toBe(length);
    const after = await ask("GET", fileUrl("here"));
    expect([after.status, await after.text()]).toEqual([200, "hello\n"]);
  }
  expect((await client.call("exec", { sandbox, command: "cat here" })).structured?.["stdout"]).toBe("hello\n");
});

test.each(["/health", "/mcp", "/missing", "/files/", `/files/${sandbox}/`, "/files/No-Sandbox/a"])(
  "HEAD of %s is answered as GET is, without the body",
  async (path) => {
    const [head, get] = [await ask("HEAD", `${origin}${path}`), await ask("GET", `${origin}${path}`)];
    expect([head.status, await head.text()]).toEqual([get.status, ""]);
    expect(head.status).toBeLessThan(500);
  },
);
