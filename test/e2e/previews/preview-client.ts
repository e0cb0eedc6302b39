// A browser's view of a preview: HTTP and WebSockets to a name under localhost, which not every resolver knows.

import { createHash, randomBytes } from "node:crypto";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";

export interface PreviewAnswer {
  status: number;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface PreviewRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

const aimedAt = (url: string): RequestOptions => {
  const { port, pathname, search, host } = new URL(url);
  return { host: "127.0.0.1", port, path: `${pathname}${search}`, headers: { host } };
};

export async function fetchPreview(url: string, options: PreviewRequest = {}): Promise<PreviewAnswer> {
  const response = await openPreview(url, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: (response.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString(),
  };
}

/** Resolves with the head of the answer; its body is read from it. */
export function openPreview(
  url: string,
  { method = "GET", headers = {}, body }: PreviewRequest = {},
): Promise<IncomingMessage> {
  const aimed = aimedAt(url);
  return new Promise((resolve, reject) => {
    request({ ...aimed, method, headers: { ...aimed.headers, ...headers } }, resolve)
      .on("error", reject)
      .end(body);
  });
}

export interface RawSocket {
  /** Of the handshake. */
  head: string;
  /** Sends a text message. */
  send(text: string): void;
  /** The next text message; rejects when the socket has closed. */
  next(): Promise<string>;
  close(): void;
  closed: Promise<void>;
}

/** A WebSocket from its bytes (RFC 6455), so that nothing of a library is between the test and the preview. */
export async function openSocket(url: string, headers: Record<string, string> = {}): Promise<RawSocket> {
  const { port, pathname, host } = new URL(url);
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  const key = randomBytes(16).toString("base64");
  const lines = Object.entries({
    Host: host,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": key,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET ${pathname} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  return readSocket(socket, key);
}

function readSocket(socket: Socket, key: string): Promise<RawSocket> {
  let buffer: Buffer = Buffer.alloc(0);
  const messages: string[] = [];
  const waiting: { resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  let head: string | null = null;
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  void closed.then(() => {
    for (const { reject } of waiting.splice(0)) reject(new Error("The socket has closed"));
  });
  return new Promise((resolve, reject) => {
    const opened: Omit<RawSocket, "head"> = {
      closed,
      send: (text) => socket.write(frame(0x1, Buffer.from(text))),
      close: () => socket.write(frame(0x8, Buffer.from([0x03, 0xe8]))),
      next: () =>
        new Promise((done, failed) => {
          const message = messages.shift();
          if (message !== undefined) done(message);
          else waiting.push({ resolve: done, reject: failed });
        }),
    };
    socket.once("error", reject);
    socket.on("data", (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk]);
      if (head === null) {
        const end = buffer.indexOf("\r\n\r\n");
        if (end === -1) return;
        head = buffer.subarray(0, end).toString();
        buffer = buffer.subarray(end + 4);
        const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
        if (!head.startsWith("HTTP/1.1 101") || !head.includes(accept)) return reject(new Error(head));
        resolve({ ...opened, head });
      }
      for (let read = takeFrame(buffer); read !== null; read = takeFrame(buffer)) {
        buffer = read.rest;
        if (read.opcode === 0x8) socket.end();
        if (read.opcode !== 0x1) continue;
        const waiter = waiting.shift();
        if (waiter === undefined) messages.push(read.text);
        else waiter.resolve(read.text);
      }
    });
  });
}

/** Masked, as a client must; up to 64 KiB. */
function frame(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([
    Buffer.from([0x80 | opcode, ...length]),
    mask,
    payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
  ]);
}

function takeFrame(buffer: Buffer): { opcode: number; text: string; rest: Buffer } | null {
  if (buffer.length < 2) return null;
  const short = buffer.readUInt8(1) & 0x7f;
  const start = short === 126 ? 4 : 2;
  if (buffer.length < start) return null;
  const length = short === 126 ? buffer.readUInt16BE(2) : short;
  if (buffer.length < start + length) return null;
  return {
    opcode: buffer.readUInt8(0) & 0xf,
    text: buffer.subarray(start, start + length).toString(),
    rest: buffer.subarray(start + length),
  };
}
