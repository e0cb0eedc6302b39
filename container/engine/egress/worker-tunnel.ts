// A way to the Worker, as the platform's own sidecar makes it: `CONNECT IP:PORT` to the port where workerd listens for what
// machines send out, with the name; then come the bytes of HTTP in clear.

import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { BUFFERED_BYTES } from "../limits.ts";

export interface Destination {
  /** `IP:PORT` */
  address: string;
  /** Clear text, or what was TLS. */
  header: "x-hostname" | "x-tls-sni";
  name: string;
}

/** Connects the two, each direction closed on its own. Rejects when the Worker does not take it; the client is then as it was. */
export function tunnel(
  client: Duplex,
  { address, header, name }: Destination,
  port: number | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!NAME.test(name)) return reject(new Error("the host has no name that can be sent"));
    if (port === undefined) return reject(new Error("the Worker does not listen yet"));
    let head = "";
    let isOpen = false;
    const worker: Socket = connect({
      ...{ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true, highWaterMark: BUFFERED_BYTES },
      onread: {
        buffer: received,
        callback(size) {
          if (isOpen) return give(received.subarray(0, size), client);
          head += received.toString("latin1", 0, size);
          const end = head.indexOf(HEAD_END);
          if (end < 0 && head.length < HEAD_MAX) return true;
          if (!/^HTTP\/1\.1 200 /.test(head)) {
            worker.destroy();
            reject(new Error(`the Worker answered ${head.slice(0, end).split("\r\n", 1)[0]}`));
            return false;
          }
          isOpen = true;
          const rest = head.slice(end + HEAD_END.length);
          join(client, worker);
          resolve();
          return rest === "" || give(Buffer.from(rest, "latin1"), client);
        },
      },
    });
    worker.once("error", reject).once("close", () => reject(new Error("the Worker closed the connection")));
    client.once("close", () => worker.destroy());
    worker.write(`CONNECT ${address} HTTP/1.1\r\nhost: ${address}\r\n${header}: ${name}\r\n\r\n`);
  });
}

/** One for all: what is in it is passed on before anything else is read. Memory of its own for each piece costs a third more. */
const received = Buffer.allocUnsafe(128 * 1024);
/** A machine makes them up: in a header they must be one word. */
const NAME = /^[!-~]{1,255}$/;

/** Of the first request of a connection, as far as it came at once. */
const headOf = (first: Buffer): string => first.toString("latin1", 0, HEAD_MAX).split(HEAD_END, 1)[0] ?? "";
const EXPECTS_CONTINUE = /\r\nexpect: *100-continue *(\r\n|$)/i;
/** RFC 9110, section 10.1.1: a final answer may still refuse. */
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const HEAD_END = "\r\n\r\n";
const HEAD_MAX = 4_096;

/** False when `client` has enough for now. */
function give(bytes: Buffer, client: Duplex): boolean {
  // TLS has encrypted it when this returns, unless something waits before it. Anything else keeps it until it is sent.
  const isUsedUp = client instanceof TLSSocket && client.writableLength === 0;
  client.write(isUsedUp ? bytes : Buffer.from(bytes));
  return client.writableLength < BUFFERED_BYTES;
}

function join(client: Duplex, worker: Socket): void {
  client.on("drain", () => worker.resume()).on("error", () => worker.destroy());
  worker
    .on("end", () => client.end())
    .on("error", () => client.destroy())
    .on("close", () => client.destroy());
  // workerd never says it, and curl waits a second for it before each large upload.
  client.once("data", (first: Buffer) => {
    if (EXPECTS_CONTINUE.test(headOf(first))) client.write(CONTINUE);
  });
  client.pipe(worker);
}
