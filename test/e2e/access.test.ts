// Authentication, host and origin checks, CORS and scopes, on a running server.

import { expect, inject, test } from "vitest";
import { connect } from "./support/clients.ts";

const { origin, url, key, readKey } = inject("server");

const rpc = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const post = (headers: Record<string, string>, body: unknown = rpc) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const bearer = { authorization: `Bearer ${key}` };

test.each([
  ["no key", {}, 401, "Bearer"],
  ["a wrong key", { authorization: "Bearer nope" }, 401, 'Bearer error="invalid_token"'],
  ["a prefix of the key", { authorization: `Bearer ${key.slice(0, -1)}` }, 401, 'Bearer error="invalid_token"'],
  ["another scheme", { authorization: `Basic ${key}` }, 401, "Bearer"],
  ["the right key", bearer, 200, null],
  ["the right key, scheme in lower case", { authorization: `bearer ${key}` }, 200, null],
  ["a stale session id", { ...bearer, "mcp-session-id": "from-before-the-deploy" }, 200, null],
  ["an origin on loopback", { ...bearer, origin: "http://localhost:6274" }, 200, null],
  ["another origin", { ...bearer, origin: "https://evil.example" }, 403, null],
  ["an origin that only starts like ours", { ...bearer, origin: "http://localhost.evil.example" }, 403, null],
  ["an origin of another scheme", { ...bearer, origin: "x://localhost" }, 403, null],
  ["an origin of another scheme with a path", { ...bearer, origin: "x://localhost/" }, 403, null],
  ["an extension's origin", { ...bearer, origin: "chrome-extension://localhost" }, 403, null],
  ["a null origin", { ...bearer, origin: "null" }, 403, null],
])("/mcp answers %s with the right status and challenge", async (_, headers, status, challenge) => {
  const response = await post(headers as Record<string, string>);
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([status, challenge]);
});

test.each(["/health", "/mcp", "/", "/files/default/x"])("%s is refused under another host name", async (path) => {
  // fetch sets Host itself, so the request is written by hand.
  const { request } = await import("node:http");
  const status = await new Promise((resolve, reject) => {
    request(`${origin}${path}`, { headers: { host: "evil.example", ...bearer } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(403);
});

test("/health answers without a key and reveals nothing", async () => {
  const response = await fetch(`${origin}/health`);
  expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
});

test.each(["GET", "DELETE", "PUT"])("%s /mcp answers 405 and allows POST", async (method) => {
  const response = await fetch(url, { method, headers: bearer });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
});

test("a preflight needs no key and allows the headers of every protocol version", async () => {
  const requested =
    "authorization,content-type,mcp-protocol-version,mcp-method,mcp-name,mcp-param-command,traceparent,last-event-id";
  const response = await fetch(url, {
    method: "OPTIONS",
    headers: {
      origin: "http://localhost:6274",
      "access-control-request-method": "POST",
      "access-control-request-headers": requested,
    },
  });
  const allowed = (response.headers.get("access-control-allow-headers") ?? "").split(", ");
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:6274");
  expect(requested.split(",").filter((name) => !allowed.includes(name))).toEqual([]);
});

test("a response to a browser exposes the challenge", async () => {
  const response = await post({ origin: "http://localhost:6274" });
  expect(response.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
});

test.each([
  ["a batch", [rpc], 400, -32600],
  ["text that is not JSON", "{", 400, -32700],
])("/mcp refuses %s", async (_, body, status, code) => {
  const response = await post(bearer, body);
  const answer: unknown = await response.json();
  expect([response.status, answer]).toMatchObject([status, { error: { code } }]);
});

test.each<[title: string, headers: Record<string, string>, status: number]>([
  ["over the limit", bearer, 413],
  ["without a key", {}, 401],
])("/mcp refuses a large body %s, and the client that sent it gets the answer", async (_, headers, status) => {
  const body = `"${"x".repeat(17 * 1024 * 1024)}"`;
  expect((await post(headers, body)).status).toBe(status);
  const chunked = { body: new Blob([body]).stream(), duplex: "half" } as RequestInit;
  expect((await fetch(url, { method: "POST", headers, ...chunked })).status).toBe(status);
});

test("a key with only the scope read gets no tool that runs commands", async () => {
  const client = await connect("2026", { url, key: readKey });
  const tools = await client.listTools();
  await client.close();
  expect(tools.map(({ name }) => name).filter((name) => ["exec", "process", "run_js"].includes(name))).toEqual([]);
});

test("?scope=read narrows a connection with a full key", async () => {
  const client = await connect("2025", { url: `${url}?scope=read`, key });
  await expect(client.call("exec", { command: "true" })).rejects.toThrow(/exec/);
  await client.close();
});

test("an unknown scope is refused", async () => {
  const response = await fetch(`${url}?scope=all`, { method: "POST", headers: bearer });
  expect(response.status).toBe(400);
});
