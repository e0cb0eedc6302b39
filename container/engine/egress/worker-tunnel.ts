// A connection to the Worker, made as the platform's own sidecar makes it: `CONNECT IP:PORT` to the port where workerd
// listens for what machines send, with a host name in a header; the bytes of HTTP follow in clear text. workerd finds the Worker by
// that name, and the Worker judges each request by its own Host.

import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { EgressListener } from "../docker/machine-registry.ts";
import { BUFFERED_BYTES } from "../limits.ts";

export interface TunnelTarget {
  /** `IP:PORT` */
  address: string;
  /** `x-hostname` for clear text, `x-tls-sni` for what was TLS. */
  header: "x-hostname" | "x-tls-sni";
  name: string;
}

/**
 * Joins the client and the Worker, each direction closed on its own. Rejects when the Worker does not accept the connection;
 * nothing has been read from the client or written to it then.
 */
export function openTunnel(
  client: Duplex,
  { address, header, name }: TunnelTarget,
  listener: EgressListener | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!HEADER_VALUE.test(name)) return reject(new Error("the host's name cannot be sent in a header"));
    if (listener === undefined) return reject(new Error("the Worker does not listen yet"));
    const { port, hostname } = listener;
    let head = "";
    let isOpen = false;
    const worker: Socket = connect({
      ...{ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true, highWaterMark: BUFFERED_BYTES },
      onread: {
        buffer: received,
        callback(size) {
          if (isOpen) return send(received.subarray(0, size), client);
          head += received.toString("latin1", 0, size);
          const end = head.indexOf(HEAD_END);
          if (end < 0 && head.length < HEAD_MAX_CHARS) return true;
          if (!/^HTTP\/1\.1 200 /.test(head)) {
            worker.destroy();
            reject(new Error(`the Worker answered ${head.slice(0, end).split("\r\n", 1)[0]}`));
            return false;
          }
          isOpen = true;
          const rest = head.slice(end + HEAD_END.length);
          join(client, worker);
          resolve();
          return rest === "" || send(Buffer.from(rest, "latin1"), client);
        },
      },
    });
    worker.once("error", reject).once("close", () => reject(new Error("the Worker closed the connection")));
    client.once("close", () => worker.destroy());
    worker.write(`CONNECT ${address} HTTP/1.1\r\nhost: ${address}\r\n${header}: ${hostname ?? name}\r\n\r\n`);
  });
}

/** A machine can ask for any name. This one must not end the header that it is sent in. */
const HEADER_VALUE = /^[!-~]{1,255}$/;
const HEAD_END = "\r\n\r\n";
const HEAD_MAX_CHARS = 4_096;

/**
 * Shared by all connections: its bytes are sent on before anything else is read into it. A buffer for each read would take a
 * third more time.
 */
const received = Buffer.allocUnsafe(128 * 1024);

/** Whether `client` takes more at once; otherwise it emits "drain" when it does. */
function send(bytes: Buffer, client: Duplex): boolean {
  // TLS encrypts at once unless something is queued before it; anything else keeps the bytes until they are sent.
  const isConsumed = client instanceof TLSSocket && client.writableLength === 0;
  client.write(isConsumed ? bytes : Buffer.from(bytes));
  return client.writableLength < BUFFERED_BYTES;
}

function join(client: Duplex, worker: Socket): void {
  client.on("drain", () => worker.resume()).on("error", () => worker.destroy());
  worker
    .on("end", () => client.end())
    .on("error", () => client.destroy())
    .on("close", () => client.destroy());
  // workerd never sends "100 Continue", and curl waits a second for it before each large upload.
  client.once("data", (first: Buffer) => {
    if (EXPECTS_CONTINUE.test(requestHead(first))) client.write(CONTINUE);
  });
  client.pipe(worker);
}

/** The head of the first request of a connection, or as much of it as the first chunk holds. */
const requestHead = (first: Buffer): string => first.toString("latin1", 0, HEAD_MAX_CHARS).split(HEAD_END, 1)[0] ?? "";
const EXPECTS_CONTINUE = /\r\nexpect: *100-continue *(\r\n|$)/i;
/** RFC 9110, section 10.1.1: a final answer may still refuse the request. */
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
