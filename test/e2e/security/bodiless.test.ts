// Answers without a body, after which the runtime has broken the next request on a connection: HEAD on every route, and what a program
// in a machine answers without one. Each is followed by requests that must be served.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { fetchPreview } from "../previews/preview-client.ts";
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

const PROGRAM = `
  require("http").createServer((request, response) => {
    const [, status, how] = request.url.split("/");
    request.resume();
    response.writeHead(Number(status), how === "length" ? { "content-length": 0 } : how === "etag" ? { etag: '"a"' } : {});
    response.end(how === "body" ? "hello" : undefined);
  }).listen(4000, () => console.log("up"));`;

test("a program in a machine is reached after whatever it answers without a body", async () => {
  await client.call("exec", { sandbox, command: "cat > program.js", stdin: PROGRAM });
  await client.call("exec", { sandbox, command: "exec node program.js", background: true, process_id: "program" });
  await client.call("process", { sandbox, action: "read", process_id: "program", until: "output", stdout_offset: 0 });
  const { structured } = await client.call("sandbox", { sandbox, action: "expose", port: 4000 });
  const preview = String(structured?.["url"]).replace(/\/$/, "");
  const requests = [
    ...["200/body", "404/body", "200/length", "204", "304", "304/etag", "500"].map((path) => ["HEAD", path]),
    ...["200/length", "204", "205", "304", "304/etag", "404/length", "200"].map((path) => ["GET", path]),
    ...["201/length", "204", "200"].map((path) => ["POST", path]),
  ];
  for (const [method = "", path = ""] of requests) {
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await fetchPreview(`${preview}/${path}`, { method });
      expect([method, path, answer.status, answer.body]).toEqual([method, path, Number(path.slice(0, 3)), ""]);
      const after = await fetchPreview(`${preview}/200/body`);
      expect([method, path, after.status, after.body]).toEqual([method, path, 200, "hello"]);
    }
  }
});
