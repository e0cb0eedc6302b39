// HTTP requests from a machine through egress: the features of HTTP/1.1 and 1.0, clients that prefer HTTP/2, and clients
// that never finish a request.

import type { RequestListener } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";
import { type Server, startServer } from "../support/start-server.ts";
import { type RawOutcome, type RawRequest, sendRaw } from "./raw-requests.ts";
import { canStandIn, type StandIn, startStandIn } from "./stand-in.ts";

const MB = 1_000_000;
const LONG = "y".repeat(16_000);

const routes: Record<string, RequestListener> = {
  "/no-content": (_, response) => response.writeHead(204).end(),
  "/not-modified": (_, response) => response.writeHead(304, { etag: '"a"' }).end(),
  "/hints": (_, response) => response.writeEarlyHints({ link: "</a>; rel=preload" }, () => response.end("late")),
  "/chunks": (_, response) => void response.write("one,", () => response.end("two")),
  "/long-header": (_, response) => response.writeHead(200, { "x-long": LONG, "content-length": 0 }).end(),
  "/too-large": (_, response) => response.writeHead(413).end("too large"),
  "/boundless": (_, response) => {
    response.writeHead(200, { "content-length": "9007199254740993" }).write("some");
    setTimeout(() => response.destroy(), 100);
  },
  "/sent": (request, response) => response.end(JSON.stringify([request.method, request.headers])),
  "/trailers": (_, response) => {
    response.writeHead(200, { trailer: "x-sum" }).write("body");
    response.addTrailers({ "x-sum": "1" });
    response.end();
  },
};

if (!canStandIn) console.warn("SKIPPED: HTTP on the way out needs root, for stand-ins on ports 80 and 443");

describe.skipIf(!canStandIn)("HTTP on the way out", () => {
  let standIn: StandIn;
  let server: Server;
  let client: McpClient;

  beforeAll(async () => {
    standIn = await startStandIn({ routes });
    server = await startServer({ env: standIn.environment(["web.example", "other.example"]) });
    client = await connect("2026", server);
    await client.call("sandbox", { action: "configure", allow: ["web.example"] });
    await output("true");
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
    await standIn?.close();
  });

  const output = async (command: string): Promise<string> =>
    String((await client.call("exec", { command })).structured?.["stdout"]);

  const request = (line: string, headers = "", body = ""): string =>
    `${line} HTTP/1.1\r\nHost: web.example\r\n${headers}\r\n${body}`;

  const cases = {
    "a HEAD": {
      send: request("HEAD /bytes?count=1000") + request("GET /a"),
      methods: ["HEAD", "GET"],
      answers: ["200 ", "200 GET web.example/a\n"],
    },
    "a 204 and a 304, with the next answer after them": {
      send: request("GET /no-content") + request("GET /not-modified") + request("GET /a"),
      methods: ["GET", "GET", "GET"],
      answers: ["204 ", "304 ", "200 GET web.example/a\n"],
    },
    "requests that do not wait for answers": {
      send: request("GET /1") + request("POST /count", "Content-Length: 3\r\n", "abc") + request("GET /3"),
      methods: ["GET", "POST", "GET"],
      answers: ["200 GET web.example/1\n", "200 3", "200 GET web.example/3\n"],
    },
    "an informational answer before the real one": { send: request("GET /hints"), answers: ["200 late"] },
    "an answer before the whole request": {
      send: request("POST /too-large", "Content-Length: 1000000\r\n", "abc"),
      answers: ["413 too large"],
    },
    trailers: { send: request("GET /trailers", "TE: trailers\r\n"), answers: ["200 body"] },
    "trailers of a request": {
      send: request("POST /count", "Transfer-Encoding: chunked\r\n", "4\r\nbody\r\n0\r\nx-sum: 1\r\n\r\n"),
      answers: ["200 4"],
    },
    "an expectation whose client does not wait": {
      send: request("POST /count", "Expect: 100-continue\r\nContent-Length: 3\r\n", "abc"),
      answers: ["200 3"],
    },
    "a method of WebDAV": { send: request("PROPFIND /a"), answers: ["200 PROPFIND web.example/a\n"] },
    "lines without CR": { send: "GET /a HTTP/1.1\nHost: web.example\n\n", answers: ["200 GET web.example/a\n"] },
    "HTTP/1.0": { send: "GET /a HTTP/1.0\r\nHost: web.example\r\n\r\n", answers: ["200 GET web.example/a\n"] },
    "headers beyond measure": {
      send: request("GET /a", `X: ${"x".repeat(20_000)}\r\n`),
      answers: ["431 "],
    },
    "an unknown method": { send: request("BREW /a"), answers: ["501 ERROR: Unrecognized request method."] },
    "HTTP/2 without asking": {
      send: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
      answers: ["501 ERROR: Unrecognized request method."],
      until: "closed",
    },
    "an offer to upgrade to HTTP/2": {
      send: request("GET /a", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
      answers: ["200 GET web.example/a\n"],
    },
    "something that is not HTTP": {
      send: "\0\x01\x02\x03\r\n\r\n",
      answers: ["501 ERROR: Unrecognized request method."],
      until: "closed",
    },
  } satisfies Record<string, Omit<RawRequest, "host"> & { answers: string[] }>;

  test.each(["clear text", "TLS"])("each is answered at once over %s", async (over) => {
    const tls = over === "TLS";
    const requests = Object.fromEntries(
      Object.entries(cases).map(([name, { answers: _, ...rest }]) => [name, { host: "web.example", tls, ...rest }]),
    );
    const outcomes = await sendRaw(client, "default", requests);
    expect(Object.fromEntries(Object.entries(outcomes).map(([name, outcome]) => [name, wordsOf(outcome)]))).toEqual(
      Object.fromEntries(
        Object.entries(cases).map(([name, { answers, ...rest }]) => [
          name,
          { answers, end: "until" in rest ? "closed" : "open" },
        ]),
      ),
    );
    expect(Object.values(outcomes).filter(({ seconds }) => seconds > 5)).toEqual([]);
  });

  test("requests that are malformed or break are told nothing of the programs that answer them", async () => {
    const chunked = "Transfer-Encoding: chunked\r\n";
    const malformed: Record<string, string> = {
      "a chunk size that is none": request("POST /count", chunked, "zz\r\nabc\r\n0\r\n\r\n"),
      "a chunk that is too long": request("POST /count", chunked, "3\r\nabcdef\r\n0\r\n\r\n"),
      "two lengths": request("POST /count", "Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"),
      "a length that is none": request("POST /count", "Content-Length: -3\r\n", "abc"),
      "a URL that is none": request("GET http://[/a"),
      "a URL of another protocol": request("GET ftp://web.example/a"),
      "another protocol's asterisk": request("OPTIONS *"),
      "a path with a NUL": request("GET /a\0b"),
      "a host that is none": "GET /a HTTP/1.1\r\nHost: [\r\n\r\n",
      "a host of two words": "GET /a HTTP/1.1\r\nHost: a b\r\n\r\n",
      "a CONNECT": "CONNECT web.example:443 HTTP/1.1\r\nHost: web.example\r\n\r\n",
      "a WebSocket that is none": request("GET /a", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
    };
    const requests = Object.entries(malformed).flatMap(([name, send]) =>
      [true, false].map((tls) => [`${name} ${tls}`, { host: "web.example", tls, send, patience: 5 }] as const),
    );
    const outcomes = await sendRaw(client, "default", Object.fromEntries(requests));
    const inside = /\bstack\b|workerd|node_modules|@[0-9a-f]{6}|c\+\+|\.rs:|\n\s+at |\/(home|root|tmp|usr|opt|var)\//i;
    const shown = Object.entries(outcomes).filter(([, { answers }]) =>
      answers.some(({ reason, headers, body }) => inside.test([reason, ...headers.flat(), body].join("\n"))),
    );
    expect(shown).toEqual([]);
    expect(await output("curl -sS https://web.example/a")).toBe("GET web.example/a\n");
  });

  test("a header of 16 KB passes in both directions; headers that identify the client do not", async () => {
    const sent = `X-Long: ${LONG}\r\nX-Forwarded-For: 10.0.0.1\r\nX-Real-IP: 10.0.0.1\r\nCF-Connecting-IP: 10.0.0.1\r\n`;
    await sendRaw(client, "default", { up: { host: "web.example", send: request("GET /up", sent) } });
    const { headers = {} } = standIn.seen.findLast(({ path }) => path === "/up") ?? {};
    expect(headers["x-long"]).toBe(LONG);
    expect(Object.keys(headers).sort()).toEqual(["host", "x-long"]);
    expect(await output("curl -s -D- https://web.example/long-header | grep -o y | wc -l")).toBe(`${LONG.length}\n`);
  });

  test("an impossible content length is ignored, in requests and responses", async () => {
    const sandbox = "boundless";
    await client.call("sandbox", { action: "configure", allow: ["web.example"], sandbox });
    await sendRaw(client, sandbox, {
      up: { host: "web.example", send: request("POST /too-large", "Content-Length: 9007199254740993\r\n", "abc") },
      down: { host: "web.example", send: request("GET /boundless") },
    });
    await expect
      .poll(async () => (await client.call("sandbox", { action: "status", sandbox })).structured?.["hosts"])
      .toMatchObject([{ host: "web.example", verdict: "allowed", count: 2, bytes: expect.toSatisfy((n) => n < 100) }]);
  });

  test("one connection serves a hundred requests", async () => {
    const text = await output(
      "curl -s -o /dev/null -w '%{http_code} %{num_connects}\\n' 'https://web.example/[1-100]' | sort | uniq -c",
    );
    expect(text.trim().split(/\n */)).toEqual(["99 200 0", "1 200 1"]);
  });

  test("100 MB are uploaded in chunks", async () => {
    const text = await output(
      `head -c ${100 * MB} /dev/zero | curl -s -m 40 -T - -w ' %{http_code} %{http_version}' https://web.example/count`,
    );
    expect(text).toBe(`${100 * MB} 200 1.1`);
  });

  test.each<[client: string, command: string, answer: RegExp]>([
    ["curl --http2", "curl -sS -m 9 --http2 https://web.example/a -w '%{http_version}'", /^GET web\.example\/a\n1\.1$/],
    ["curl --http2 in clear text", "curl -sS -m 9 --http2 http://web.example/a", /^GET web\.example\/a\n$/],
    [
      "curl --http2-prior-knowledge",
      "curl -sS -m 9 --http2-prior-knowledge http://web.example/a",
      /^curl: \((?!28)\d+\) /,
    ],
    ["curl --http1.0", "curl -sS -m 9 --http1.0 https://web.example/a", /^GET web\.example\/a\n$/],
    [
      "Node's http2",
      `node -e 'const s = require("http2").connect("https://web.example"); s.on("error", (e) => { console.log(e.code); process.exit() })'`,
      /^ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL\n$/,
    ],
    [
      "Node's http2 in clear text",
      `node -e 'const s = require("http2").connect("http://web.example"); s.on("error", (e) => { console.log(e.code); process.exit() })'`,
      /^ERR_HTTP2_ERROR\n$/,
    ],
  ])("%s is served or fails without waiting", async (_, command, answer) => {
    expect(await output(`${command} 2>&1`)).toMatch(answer);
  });
});

const wordsOf = ({ answers, end }: RawOutcome) => ({
  answers: answers.map(({ status, body }) => `${status} ${body}`),
  end,
});
