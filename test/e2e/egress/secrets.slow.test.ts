// Credentials that the Worker adds: each is sent only where it is configured, however the request is written; nothing that
// the machine sends changes it; and neither a machine nor an isolate can see it, whatever the server does with it.

import { readFileSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { connect, type McpClient } from "../support/clients.ts";
import { testEngine } from "../support/engine.ts";
import { type Server, startServer } from "../support/start-server.ts";
import { echoes } from "./echoes.ts";
import { type RawRequest, sendRaw } from "./raw-requests.ts";
import { canStandIn, type StandIn, startStandIn } from "./stand-in.ts";

/** With what URLs and JSON escape. */
const SECRET = 's3cr3t/+"7f1c0de5';
const BASIC = `Basic ${Buffer.from(`x-access-token:${SECRET}`).toString("base64")}`;
const BEARER = `Bearer ${SECRET}`;

const names = ["git.example", "registry.example", "api.example", "other.example", "wild.example", "a.wild.example"];

/** Forms in which a reader would know it. */
const forms = [
  ...[SECRET, encodeURIComponent(SECRET), JSON.stringify(SECRET).slice(1, -1), BASIC.slice("Basic ".length)],
  ...[Buffer.from(SECRET).toString("base64"), Buffer.from(SECRET).toString("base64url")],
];

if (!canStandIn) console.warn("SKIPPED: tests of credentials need root, for stand-ins on ports 80 and 443");

describe.skipIf(!canStandIn)("a credential that the Worker adds", () => {
  let standIn: StandIn;
  let server: Server;
  let client: McpClient;

  /** The last answer to /events. */
  let stream: ServerResponse;

  const started = Date.now();

  beforeAll(async () => {
    const events: RequestListener = (request, response) => {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write(`data: first ${request.headers.authorization}\n\n`);
    };
    standIn = await startStandIn({ routes: { ...echoes, "/events": events } });
    server = await startServer({
      env: {
        ...standIn.environment(names),
        EGRESS_SECRETS: JSON.stringify([
          { host: "git.example", path: "/private", secret: "TOKEN", scheme: "basic" },
          { host: "registry.example", secret: "TOKEN" },
          { host: "api.example", methods: ["GET"], secret: "TOKEN", scheme: "plain", header: "X-Api-Key" },
          { host: "*.wild.example", secret: "TOKEN", scheme: "token" },
        ]),
        TOKEN: SECRET,
      },
    });
    client = await connect("2026", server);
    await client.call("sandbox", { action: "configure", allow: names });
    await client.call("exec", { command: "true" });
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
    await standIn?.close();
  });

  const get = (target: string, host = "git.example", headers = ""): string =>
    `GET ${target} HTTP/1.1\r\n${host === "" ? "" : `Host: ${host}\r\n`}${headers}\r\n`;

  describe("is sent only where it is configured", () => {
    /** What the stand-in sees: host, path and credential; or the status of an answer of the sandbox's own. */
    const cases: Record<
      string,
      [request: string | Partial<RawRequest>, seen: [string, string, string | null] | number]
    > = {
      "the path itself": [get("/private"), ["git.example", "/private", BASIC]],
      "below the path": [get("/private/a?b=/../"), ["git.example", "/private/a?b=/../", BASIC]],
      "beside the path": [get("/privates"), ["git.example", "/privates", null]],
      "another case": [get("/PRIVATE/a"), ["git.example", "/PRIVATE/a", null]],
      "an escaped letter": [get("/priv%61te/a"), ["git.example", "/priv%61te/a", null]],
      "steps up": [get("/private/../a"), ["git.example", "/a", null]],
      "escaped steps up": [get("/private/%2e%2E/a"), ["git.example", "/a", null]],
      "steps with backslashes": [get("/private\\..\\a"), ["git.example", "/a", null]],
      "a step with an escaped slash": [get("/private/..%2fa"), ["git.example", "/private/..%2fa", null]],
      "a step with an escaped backslash": [get("/private/..%5ca"), ["git.example", "/private/..%5ca", null]],
      "a step with a parameter": [get("/private/..;/a"), ["git.example", "/private/..;/a", null]],
      "steps escaped twice": [get("/private/%252e%252e/a"), ["git.example", "/private/%252e%252e/a", null]],
      "a step with a NUL": [get("/private/..%00/a"), ["git.example", "/private/..%00/a", null]],
      "steps into the path": [get("/a/../private/b"), ["git.example", "/private/b", BASIC]],
      "a step of a server's own after a fragment": [get("/private/#/../a"), ["git.example", "/private/", BASIC]],
      "an npm scope": [get("/private/@a%2fb"), ["git.example", "/private/@a%2fb", BASIC]],
      "a path that begins with a host": [get("//other.example/private/a"), ["other.example", "/private/a", null]],

      "upper case": [get("/private/a", "GIT.Example"), ["git.example", "/private/a", BASIC]],
      "its own port": [get("/private/a", "git.example:443"), ["git.example", "/private/a", BASIC]],
      "another port": [get("/private/a", "git.example:8443"), 403],
      "no such port": [get("/private/a", "git.example:99999"), 400],
      "a user": [get("/private/a", "u:p@git.example"), ["git.example", "/private/a", BASIC]],
      "a user like the host": [get("/private/a", "git.example@other.example"), ["other.example", "/private/a", null]],
      "a user with a backslash": [
        get("/private/a", "other.example\\@git.example"),
        ["other.example", "/private/a", null],
      ],
      "a slash before the host": [
        get("/private/a", "other.example/.git.example"),
        ["other.example", "/private/a", null],
      ],
      "a fragment before the host": [
        get("/private/a", "other.example#git.example"),
        ["other.example", "/private/a", null],
      ],
      "an escaped dot": [get("/private/a", "git%2eexample"), ["git.example", "/private/a", BASIC]],
      "two words": [get("/private/a", "git.example other.example"), 400],
      "a list": [get("/private/a", "git.example,other.example"), 403],
      "two Host headers": [get("/private/a", "git.example", "Host: other.example\r\n"), 400],
      "two Host headers, the other first": [get("/private/a", "other.example", "Host: git.example\r\n"), 400],
      "no Host header": [get("/private/a", ""), 403],
      "Host unlike SNI": [get("/private/a", "other.example"), ["other.example", "/private/a", null]],
      "SNI unlike Host": [
        { send: get("/private/a"), host: "other.example", sni: "other.example" },
        ["git.example", "/private/a", BASIC],
      ],
      "an absolute URL": [get("https://git.example/private/a"), ["git.example", "/private/a", BASIC]],
      "an absolute URL of another host": [
        get("https://other.example/private/a"),
        ["other.example", "/private/a", null],
      ],
      "an absolute URL in clear text": [get("http://git.example/private/a"), ["git.example", "/private/a", null]],
      "clear text": [{ send: get("/private/a"), tls: false }, ["git.example", "/private/a", null]],

      "its method": [get("/a", "api.example"), ["api.example", "/a", SECRET]],
      "another method": [
        "POST /a HTTP/1.1\r\nHost: api.example\r\nContent-Length: 0\r\n\r\n",
        ["api.example", "/a", null],
      ],
      "a method that overrides": [
        "POST /a HTTP/1.1\r\nHost: api.example\r\nX-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n\r\n",
        ["api.example", "/a", null],
      ],
      "a wildcard": [get("/a", "a.wild.example"), ["a.wild.example", "/a", `token ${SECRET}`]],
      "the domain of a wildcard": [get("/a", "wild.example"), ["wild.example", "/a", `token ${SECRET}`]],
    };

    test("however the request is written", async () => {
      const marked = (text: string, name: string): string => text.replace("\r\n", `\r\nX-Case: ${name}\r\n`);
      const requests = Object.fromEntries(
        Object.entries(cases).map(([name, [request]]) => {
          const { send = "", ...rest } = typeof request === "string" ? { send: request } : request;
          return [name, { host: "git.example", ...rest, send: marked(send, name) }];
        }),
      );
      standIn.seen.length = 0;
      const outcomes = await sendRaw(client, "default", requests);
      const got = Object.keys(cases).map((name) => {
        const seen = standIn.seen.filter(({ headers }) => headers["x-case"] === name);
        const credential = (headers: (typeof seen)[number]["headers"]) =>
          headers.authorization ?? headers["x-api-key"] ?? null;
        return [
          name,
          seen.length === 0
            ? outcomes[name]?.answers[0]?.status
            : seen.flatMap(({ host, path, headers }) => [host, path, credential(headers)]),
        ];
      });
      expect(Object.fromEntries(got)).toEqual(
        Object.fromEntries(Object.entries(cases).map(([name, [, seen]]) => [name, seen])),
      );
    });
  });

  test.each<[title: string, host: string, header: string, headers: string]>([
    ["its own", "registry.example", "authorization", "Authorization: mine\r\n"],
    ["several", "registry.example", "authorization", "AUTHORIZATION: mine\r\nauthorization: too\r\n"],
    ["one for this hop", "registry.example", "authorization", "Authorization: mine\r\nConnection: authorization\r\n"],
    ["an empty one", "registry.example", "authorization", "Authorization:\r\n"],
    ["a header of its own", "api.example", "x-api-key", "X-API-KEY: mine\r\nx-api-key: too\r\n"],
  ])("is the only one that arrives when the machine sends %s", async (_, host, header, headers) => {
    standIn.seen.length = 0;
    await sendRaw(client, "default", { it: { host, send: get("/only", host, headers) } });
    const [{ rawHeaders = [] } = {}] = standIn.seen;
    const values = rawHeaders.filter((__, index) => rawHeaders[index - 1]?.toLowerCase() === header && index % 2 === 1);
    expect(values).toEqual([header === "x-api-key" ? SECRET : BEARER]);
  });

  test.each([
    ["a space after the name", "Authorization : mine\r\n"],
    ["a folded line", "X: a\r\n Authorization: mine\r\n"],
    ["a bare CR", "X: a\rAuthorization: mine\r\n"],
  ])("is not combined with a header that is written with %s", async (_, headers) => {
    standIn.seen.length = 0;
    await sendRaw(client, "default", {
      it: { host: "registry.example", send: get("/a", "registry.example", headers) },
    });
    for (const { rawHeaders } of standIn.seen) {
      expect(rawHeaders.filter((text) => text.includes("mine"))).toEqual([]);
      expect(rawHeaders.filter((text) => /^authorization$/i.test(text))).toHaveLength(1);
    }
  });

  describe("is removed from responses", () => {
    const paths = Object.keys(echoes).filter((path) => !path.endsWith("/endless"));
    const statusOf = (path: string): number => {
      if (/\/(deflate|deflate-raw|zstd|x-gzip|gzip-twice|gzip-br)$/.test(path)) return 502;
      return path.endsWith("/location") ? 302 : 200;
    };

    test("to a machine, in every encoding that a server may use", async () => {
      const outcomes = await sendRaw(
        client,
        "default",
        Object.fromEntries(
          paths.map((path) => [path, { host: "registry.example", send: get(path, "registry.example") }]),
        ),
      );
      expect(Object.fromEntries(paths.map((path) => [path, outcomes[path]?.answers[0]?.status]))).toEqual(
        Object.fromEntries(paths.map((path) => [path, statusOf(path)])),
      );
      const text = JSON.stringify(outcomes);
      for (const form of forms) expect(text).not.toContain(form);
      // They were real echoes: what is in its place has its length.
      for (const path of ["plain", "header", "status", "location", "bytes", "gzip", "br", "json"])
        expect(JSON.stringify(outcomes[`/echoes/${path}`])).toContain("*".repeat(SECRET.length));
    });

    test("to a machine, in the middle of a large response", async () => {
      const { structured } = await client.call("exec", {
        command: "curl -sS https://registry.example/echoes/large | tr -s x",
      });
      const echo = `Bearer ${"*".repeat(SECRET.length)}`;
      expect(structured?.["stdout"]).toBe(`x${echo}x${echo}`);
    });

    test("from an event stream, whose events still arrive one by one", async () => {
      const process = { process_id: "events" };
      await client.call("exec", { command: "curl -sSN https://registry.example/events", background: true, ...process });
      const received = async () =>
        (await client.call("process", { action: "read", ...process, stdout_offset: 0 })).structured?.["stdout"];
      const first = `data: first Bearer ${"*".repeat(SECRET.length)}\n\n`;
      await expect.poll(received).toBe(first);
      stream.write("data: second\n\n");
      await expect.poll(received).toBe(`${first}data: second\n\n`);
      stream.end("data: last");
      await expect.poll(received).toBe(`${first}data: second\n\ndata: last`);
    });

    test("to an isolate, in every encoding that a server may use", async () => {
      const code = `
        const answers = {};
        for (const path of input) {
          const r = await fetch("https://registry.example" + path, { redirect: "manual" });
          answers[path] = [r.status, r.statusText, [...r.headers], (await r.text()).slice(0, 300)];
        }
        return answers;`;
      const { text, isError } = await client.call("run_js", {
        code,
        input: paths.filter((path) => !path.endsWith("/large")),
      });
      expect(isError).toBe(false);
      for (const path of paths.filter((each) => !each.endsWith("/large")))
        expect(text).toContain(`${JSON.stringify(path)}:[${statusOf(path)},`);
      for (const form of forms) expect(text).not.toContain(form);
    });

    test("over a WebSocket, where none is added", async () => {
      standIn.seen.length = 0;
      const script = `
        const socket = new WebSocket("wss://registry.example/socket");
        socket.onopen = () => socket.send("hello");
        socket.onmessage = ({ data }) => { console.log(data); socket.close(); };`;
      const { structured } = await client.call("exec", { command: "node --input-type=module -", stdin: script });
      expect(structured?.["stdout"]).toBe("echo hello\n");
      expect(standIn.upgrades.map(({ authorization }) => authorization)).not.toContain(BEARER);
    });
  });

  test("is nowhere in a machine that has used it and is using it", async () => {
    const download = await client.call("exec", {
      command: "curl -sSN https://registry.example/echoes/endless | tee -a /workspace/endless",
      background: true,
    });
    await expect.poll(() => standIn.seen.some(({ path }) => path.endsWith("/endless"))).toBe(true);
    await client.call("exec", {
      command: `cd /tmp && curl -sS https://registry.example/echoes/{plain,bytes,gzip,url} -o 'echo-#1' && git ls-remote https://git.example/private/x`,
    });
    const hex = forms.map((form) => Buffer.from(form).toString("hex"));
    const search = await client.call("exec", {
      command: "python3 -",
      stdin: readFileSync(join(import.meta.dirname, "search-machine.py"), "utf8"),
      env: { NEEDLES: JSON.stringify(hex), SINCE: String(started / 1000) },
      wait_ms: 100_000,
      timeout_ms: 100_000,
    });
    const result: unknown = JSON.parse(String(search.structured?.["stdout"]) || JSON.stringify(search.text));
    expect(result).toMatchObject({ found: [] });
    // Only the built-in engine has unix sockets in a machine.
    const sockets = testEngine === "docker" ? 0 : 1;
    for (const [what, least] of Object.entries({ files: 10, processes: 4, regions: 100, sockets }))
      expect(z.record(z.string(), z.unknown()).parse(result)[what], what).toBeGreaterThanOrEqual(least);
    const seen = await client.call("exec", { command: "grep -c 'it is Bearer \\*\\*\\*' /workspace/endless" });
    expect(Number(seen.structured?.["stdout"])).toBeGreaterThan(10);
    await client.call("process", {
      action: "signal",
      process_id: download.structured?.["process_id"],
      signal: "SIGKILL",
    });
    expect(server.output()).not.toContain(SECRET);
  });

  test("is nowhere in an isolate that has used it", async () => {
    const code = `
      const needle = input.join("");
      const [seen, found, queue] = [new Set(), [], [["globalThis", globalThis]]];
      const errors = [];
      for (const url of ["https://registry.example/echoes/status", "https://registry.example:1/", "https://api.example/\\u0000", "nonsense:"])
        await fetch(url).then((response) => queue.push([url, response]), (error) => errors.push(error));
      queue.push(["errors", errors]);
      let texts = 0;
      for (let next; (next = queue.pop()); ) {
        const [path, value] = next;
        if (typeof value === "string") { texts += 1; if (value.includes(needle)) found.push(path); }
        if (value === null || !/object|function/.test(typeof value) || seen.has(value)) continue;
        seen.add(value);
        try { if (typeof value === "function" && String(value).includes(needle)) found.push(path); } catch {}
        for (const key of Reflect.ownKeys(value)) {
          try { queue.push([path + "." + String(key), String(key)], [path + "." + String(key), value[key]]); } catch {}
        }
        for (const item of value instanceof Headers || value instanceof Map ? value : []) queue.push([path + ".item", item]);
        try { queue.push([path + ".__proto__", Object.getPrototypeOf(value)]); } catch {}
      }
      return { found, enough: texts > 1000 && seen.size > 500, errors: errors.map(String), env: typeof process === "object" ? Object.keys(process.env) : [] };`;
    const input = [SECRET.slice(0, 8), SECRET.slice(8)];
    const { structured } = await client.call("run_js", { code, input });
    expect(structured?.["value"]).toEqual({ found: [], enough: true, errors: [expect.any(String)], env: [] });
  });
});
