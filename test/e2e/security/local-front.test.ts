// What a client without good intentions sends to the port of `npm start`, byte by byte: no answer shows a stack, a path or an address
// of the programs behind it, no answer of the server's own is lost, and the next connection is served.

import { connect as connectSocket } from "node:net";
import { describe, expect, inject, test } from "vitest";
import { startServer } from "../support/start-server.ts";

const { origin, key } = inject("server");
const { host } = new URL(origin);

const HOST = `Host: ${host}\r\n`;
const KEY = `Authorization: Bearer ${key}\r\n`;
const JSON_BODY = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const request = (line: string, headers = "", body = ""): string => `${line} HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const upload = (headers: string, body = ""): string => request("PUT /files/front/a.txt", KEY + headers, body);
const post = (headers: string, body = ""): string => request("POST /mcp", KEY + JSON_BODY + headers, body);

const cases: Record<string, string> = {
  "an upload with a chunk size that is none": upload(CHUNKED, "zz\r\nabc\r\n0\r\n\r\n"),
  "an upload with a chunk size beyond measure": upload(CHUNKED, `${"F".repeat(18)}\r\nabc\r\n0\r\n\r\n`),
  "an upload with a negative chunk size": upload(CHUNKED, "-1\r\nabc\r\n0\r\n\r\n"),
  "an upload whose chunk is too long": upload(CHUNKED, "3\r\nabcdef\r\n0\r\n\r\n"),
  "an upload that breaks off in a chunk": upload(CHUNKED, "ff\r\nabc"),
  "an upload that breaks off before its length": upload("Content-Length: 50\r\n", "abc"),
  "an upload without a key that breaks off": request("PUT /files/front/a.txt", CHUNKED, "ff\r\nabc"),
  "a call with a chunk size that is none": post(CHUNKED, "zz\r\nabc\r\n0\r\n\r\n"),
  "a call that breaks off": post("Content-Length: 50\r\n", "abc"),
  "a call that breaks off after an expectation": post("Expect: 100-continue\r\nContent-Length: 50\r\n"),
  "an expectation that nobody knows": post("Expect: 200-maybe\r\nContent-Length: 2\r\n", "{}"),
  "a body with a false encoding": post("Content-Encoding: gzip\r\nContent-Length: 3\r\n", "abc"),
  "a length and chunks": post(`Content-Length: 5\r\n${CHUNKED}`, `0\r\n\r\n${request("GET /health")}`),
  "two lengths": post("Content-Length: 5\r\nContent-Length: 6\r\n", "123456"),
  "a negative length": post("Content-Length: -5\r\n"),
  "a length beyond measure": post("Content-Length: 99999999999999999999\r\n", "abc"),
  "an unknown transfer encoding": post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
  "two transfer encodings": post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
  "an unknown method": request("BREW /health"),
  "a method in lower case": request("get /health"),
  TRACE: request("TRACE /health"),
  CONNECT: `CONNECT ${host} HTTP/1.1\r\n${HOST}\r\n`,
  "20,000 headers": request("GET /health", "X: y\r\n".repeat(20_000)),
  "a header of 1 MB": request("GET /health", `X: ${"y".repeat(1_000_000)}\r\n`),
  "a URL of 1 MB": request(`GET /${"a".repeat(1_000_000)}`),
  "a URL of another host": request("GET http://other.example/health"),
  "a URL that is none": request("GET http://[/health"),
  "OPTIONS *": request("OPTIONS *"),
  "GET *": request("GET *"),
  "a path without a slash": request("GET health"),
  "no path": request("GET "),
  "a path with a NUL": request("GET /he\0alth"),
  "a path that is not ASCII": request("GET /h\xe9"),
  "escapes that are none": request("GET /files/front/%zz%00..%2f", KEY),
  "no host": "GET /health HTTP/1.1\r\n\r\n",
  "an empty host": "GET /health HTTP/1.1\r\nHost:\r\n\r\n",
  "a host of two words": "GET /health HTTP/1.1\r\nHost: a b\r\n\r\n",
  "a host that is none": "GET /health HTTP/1.1\r\nHost: [\r\n\r\n",
  "two hosts": request("GET /health", "Host: other.example\r\n"),
  "a header with a NUL": request("GET /health", "X: a\0b\r\n"),
  "a header name with a control character": request("GET /health", "X\x01: a\r\n"),
  "a header that is not ASCII": request("GET /health", "X: \xe9\xff\r\nCookie: \x80\r\n"),
  "a folded header": request("GET /health", "X: a\r\n b\r\n"),
  "a space before a colon": request("GET /health", "X : a\r\n"),
  "three requests at once": request("GET /health").repeat(3),
  "HTTP/0.9": "GET /health\r\n",
  "HTTP/1.0": "GET /health HTTP/1.0\r\n\r\n",
  "HTTP/3.0": `GET /health HTTP/3.0\r\n${HOST}\r\n`,
  "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
  "an offer of HTTP/2": request(
    "GET /health",
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
  ),
  "a WebSocket": request(
    "GET /mcp",
    `${KEY}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n`,
  ),
  TLS: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "nothing but line breaks": "\r\n\r\n\r\n\r\n",
  "the header in which Miniflare keeps request.cf": request("GET /health", "MF-CF-Blob: not JSON\r\n"),
  "the headers of Miniflare": request(
    "GET /x",
    "MF-Original-URL: http://x/\r\nMF-Route-Override: closed\r\nMF-Custom-Fetch-Service: 0\r\n",
  ),
  "a handler of Miniflare": request("GET /cdn-cgi/handler/scheduled"),
  "another handler of Miniflare": request("GET /cdn-cgi/mf/scheduled"),
};

/** A stack, the path of a program or of its source, or an address in a program. */
const INSIDE =
  /\bstack\b|workerd|node_modules|miniflare|@[0-9a-f]{6}|\+0x|\n\s+at |c\+\+|\.rs:|\/(home|root|tmp|usr|opt|var|srv)\//i;

/** What workerd answers before the Worker is asked. */
const BY_WORKERD = ["501 ERROR: Unrecognized request method.", "500 Internal Server Error"];

describe("the port of npm start", () => {
  test.each(Object.entries(cases))("shows nothing of the inside to %s", async (_, text) => {
    const answer = await send(text);
    expect(answer).not.toMatch(INSIDE);
    const [head = "", body = ""] = answer.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, "").split("\r\n\r\n", 2);
    const status = head.split(" ")[1] ?? "";
    if (status.startsWith("5") && !BY_WORKERD.includes(`${status} ${body}`))
      expect(JSON.parse(body)).toEqual({ error: expect.any(String) });
    expect(await (await fetch(`${origin}/health`)).json()).toEqual({ status: "ok" });
  });

  test.each(["OPTIONS *", "a host of two words", "two hosts"])("answers %s as a fault of the client", async (name) => {
    expect(await send(cases[name] ?? "")).toMatch(/^HTTP\/1.1 400 .*\{"error":"The URL of the request/s);
  });

  test("calls an upload and a call that break off a fault of the client", async () => {
    for (const [name, body] of Object.entries(cases).filter(([name]) =>
      /^(an upload w(?!ithout)|an upload that|a call)/.test(name),
    ))
      expect([name, await send(body)]).toEqual([
        name,
        expect.stringMatching(/^(HTTP\/1.1 100 Continue\r\n\r\n)?HTTP\/1.1 400 /),
      ]);
  });
});

test("what clients without a key send prints nothing on the operator's terminal", async () => {
  const server = await startServer();
  const before = server.output().length;
  for (const text of Object.values(cases).filter((text) => !text.includes(KEY)))
    await send(text.replaceAll(host, new URL(server.origin).host), server);
  await server.stop();
  expect(server.output().slice(before)).not.toContain(" | ");
});

/** Everything that comes back until the other side closes. */
function send(text: string, server = { origin }): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connectSocket({ host: "127.0.0.1", port: Number(new URL(server.origin).port), allowHalfOpen: true });
    socket.end(text, "latin1");
    socket.on("data", (chunk) => (answer += chunk.toString("latin1"))).on("end", () => socket.destroy());
    socket.on("error", () => undefined).on("close", () => resolve(answer));
  });
}
