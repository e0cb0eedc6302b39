// What a preview hands on in both directions, header by header.

import { expect, test } from "vitest";
import { requestHeaders, responseHeaders } from "../../../src/sandbox/previews/preview-headers.ts";

const address = { port: 5173, origin: new URL("https://5173-token.preview.example.com/x") };
const always = {
  host: "localhost:5173",
  "x-forwarded-host": "5173-token.preview.example.com",
  "x-forwarded-proto": "https",
};

test.each<[string, Record<string, string>, Record<string, string>]>([
  ["nothing", {}, {}],
  ["what is the program's own", { accept: "text/html", "x-api": "1" }, { accept: "text/html", "x-api": "1" }],
  ["no credentials", { authorization: "Bearer x", "proxy-authorization": "Basic x" }, {}],
  ["nothing of Cloudflare", { "cf-ray": "1", "cf-container-target-port": "39100", "cf-access-jwt-assertion": "x" }, {}],
  ["the client's address", { "cf-connecting-ip": "192.0.2.1" }, { "x-forwarded-for": "192.0.2.1" }],
  [
    "no forwarding that a client made up",
    { "x-forwarded-for": "1.1.1.1", "x-forwarded-user": "admin", forwarded: "for=x", "x-real-ip": "1.1.1.1" },
    {},
  ],
  ["its own cookies", { cookie: "sid=1; theme=dark" }, { cookie: "sid=1; theme=dark" }],
  [
    "no cookies of this server's domain",
    { cookie: "CF_Authorization=a; sid=1;__cf_bm=b; __Secure-CF_AppSession=c; sandbox-mcp=d; __Host-sandbox_mcp=e" },
    { cookie: "sid=1" },
  ],
  ["no cookie header that is empty", { cookie: "CF_Authorization=a" }, {}],
  ["no hop-by-hop headers", { connection: "close", te: "trailers", "transfer-encoding": "chunked" }, {}],
  ["no wish for compression", { "accept-encoding": "br, gzip" }, {}],
  [
    "the origin of a form as it is",
    { origin: "https://5173-token.preview.example.com" },
    { origin: "https://5173-token.preview.example.com" },
  ],
  [
    "the preview's origin on a WebSocket as the dev server's",
    { upgrade: "websocket", origin: "https://5173-token.preview.example.com" },
    { upgrade: "websocket", origin: "http://localhost:5173" },
  ],
  [
    "another origin on a WebSocket as it is",
    { upgrade: "websocket", origin: "https://evil.example" },
    { upgrade: "websocket", origin: "https://evil.example" },
  ],
])("requestHeaders() hands on %s", (_, headers, expected) => {
  expect(Object.fromEntries(requestHeaders(new Headers(headers), address))).toEqual({ ...always, ...expected });
});

const added = { "x-robots-tag": "noindex", "referrer-policy": "same-origin" };

test.each<[string, [string, string][], Record<string, string>]>([
  ["nothing", [], added],
  [
    "a referrer policy of its own",
    [["referrer-policy", "no-referrer"]],
    { ...added, "referrer-policy": "no-referrer" },
  ],
  [
    "nothing of Cloudflare",
    [
      ["cf-ray", "1"],
      ["alt-svc", "h3"],
    ],
    added,
  ],
  ["a relative redirect", [["location", "/x"]], { ...added, location: "/x" }],
  [
    "a redirect to itself as one to the preview",
    [["location", "http://localhost:5173/a?b#c"]],
    { ...added, location: "https://5173-token.preview.example.com/a?b#c" },
  ],
  [
    "a redirect to itself without a path",
    [["location", "http://127.0.0.1:5173"]],
    { ...added, location: "https://5173-token.preview.example.com" },
  ],
  [
    "a redirect to another port",
    [["location", "http://localhost:51730/"]],
    { ...added, location: "http://localhost:51730/" },
  ],
  ["a redirect elsewhere", [["location", "https://example.com/"]], { ...added, location: "https://example.com/" }],
])("responseHeaders() hands back %s", (_, headers, expected) => {
  expect(Object.fromEntries(responseHeaders(new Headers(headers), address))).toEqual(expected);
});

test.each([
  ["a=1; Path=/; Domain=example.com; Secure", ["a=1; Path=/; Secure"]],
  ["a=1;domain=.preview.example.com", ["a=1"]],
  ["a=1; DOMAIN = localhost ; HttpOnly", ["a=1; HttpOnly"]],
  ["domain=kept; Path=/", ["domain=kept; Path=/"]],
  ["__Host-id=1; Secure; Path=/", ["__Host-id=1; Secure; Path=/"]],
  ["CF_Authorization=forged; Path=/", []],
])("responseHeaders() makes Set-Cookie %j harmless", (cookie, expected) => {
  const headers = new Headers([["set-cookie", cookie]]);
  expect(responseHeaders(headers, address).getSetCookie()).toEqual(expected);
});
