// What a server may do with a credential that it was sent: answer with it, in every form and place in which an answer can
// carry it. Routes of a stand-in; the path says how, the header `authorization` what.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";

/** `path` → how it answers. All begin with /echoes/. */
export const echoes: Readonly<Record<string, RequestListener>> = Object.fromEntries(
  Object.entries<(credential: string, response: ServerResponse, request: IncomingMessage) => void>({
    plain: (credential, response) => response.end(`it is ${credential} indeed`),
    bare: (credential, response) => response.end(`it is ${bare(credential)} indeed`),
    base64: (credential, response) => response.end(base64(bare(credential))),
    pair: (credential, response) => response.end(base64(`x-access-token:${bare(credential)}`)),
    url: (credential, response) => response.end(`https://x/?token=${encodeURIComponent(bare(credential))}`),
    json: (credential, response) => response.end(JSON.stringify({ token: bare(credential) })),
    header: (credential, response) => response.setHeader("x-echo", credential).end(),
    headers: (credential, response) => response.setHeader("set-cookie", ["a=1", `t=${bare(credential)}`, "b=2"]).end(),
    status: (credential, response) => response.writeHead(200, `Hello ${bare(credential)}`).end(),
    location: (credential, response) =>
      response.writeHead(302, { location: `https://plain.example/?token=${bare(credential)}` }).end(),
    // One byte at a time, so that a form is never whole in one piece.
    bytes: (credential, response) => void byteByByte(`it is ${credential} indeed`, response),
    large: (credential, response) =>
      response.end(`${"x".repeat(300_000)}${credential}${"x".repeat(262_140)}${credential}`),
    trailer: (credential, response) => {
      response.writeHead(200, { trailer: "x-echo" });
      response.write("body");
      response.addTrailers({ "x-echo": credential });
      response.end();
    },
    early: (credential, response) =>
      response.writeEarlyHints({ link: `</${bare(credential)}>; rel=preload` }, () => response.end("late")),
    gzip: encoded("gzip", gzipSync),
    "x-gzip": encoded("x-gzip", gzipSync),
    br: encoded("br", brotliCompressSync),
    deflate: encoded("deflate", deflateSync),
    "deflate-raw": encoded("deflate", deflateRawSync),
    zstd: encoded("zstd", zstdCompressSync),
    "gzip-twice": encoded("gzip, gzip", (text) => gzipSync(gzipSync(text))),
    "gzip-br": encoded("gzip, br", (text) => brotliCompressSync(gzipSync(text))),
    // Until the other side has had enough.
    endless: (credential, response) => {
      const timer = setInterval(() => response.write(`it is ${credential} indeed\n`), 20);
      response.once("close", () => clearInterval(timer));
    },
  }).map(([path, answer]) => [
    `/echoes/${path}`,
    (request: IncomingMessage, response: ServerResponse) =>
      answer(String(request.headers.authorization), response, request),
  ]),
);

/** Without its scheme. */
const bare = (credential: string): string => credential.slice(credential.indexOf(" ") + 1);

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function encoded(encoding: string, encode: (text: Buffer) => Buffer) {
  return (credential: string, response: ServerResponse): void => {
    const body = encode(Buffer.from(`it is ${credential} indeed ${"x".repeat(1_000)}`));
    response.writeHead(200, { "content-encoding": encoding, "content-length": body.length }).end(body);
  };
}

async function byteByByte(text: string, response: ServerResponse): Promise<void> {
  for (const byte of text) {
    response.write(byte);
    await new Promise(setImmediate);
  }
  response.end();
}
