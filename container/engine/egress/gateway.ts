// Hands what a machine sends out to the Worker, as the platform's own sidecar does: `CONNECT IP:PORT` to the port where
// workerd listens for it, with the name; TLS is ended here, so that the Worker sees requests. The policy is the Worker's.

import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { Outgoing } from "./captured-sockets.ts";
import type { CertificateAuthority } from "./certificate-authority.ts";
import { type Destination, tunnel } from "./worker-tunnel.ts";

export interface GatewayOptions {
  authority: CertificateAuthority;
  /** Where workerd listens; it changes when the Worker is loaded again. Undefined until it has said so. */
  egressPort(): number | undefined;
}

export function sendOut({ host, address, socket }: Outgoing, options: GatewayOptions): void {
  // The client speaks first in both of the protocols that are captured.
  const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS);
  socket.once("close", () => clearTimeout(timer));
  socket.once("readable", () => {
    clearTimeout(timer);
    const first: unknown = socket.read();
    if (!Buffer.isBuffer(first)) return void socket.destroy();
    socket.unshift(first);
    if (first[0] === TLS_HANDSHAKE) endTls(host, address, socket, options);
    else void passOn({ address, header: "x-hostname", name: host }, socket, options);
  });
}

const TLS_HANDSHAKE = 22;
/** A client that has not said hello by then never will. */
const HANDSHAKE_MS = 20_000;

function endTls(host: string, address: string, socket: Socket, options: GatewayOptions): void {
  const { authority } = options;
  const tls = new TLSSocket(socket, {
    isServer: true,
    secureContext: authority.contextFor(host),
    SNICallback: (name, done) => done(null, authority.contextFor(name.toLowerCase())),
    // Clients that would speak HTTP/2 fall back.
    ALPNProtocols: ["http/1.1", "http/1.0"],
  });
  const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS);
  tls.on("error", () => socket.destroy()).once("close", () => clearTimeout(timer));
  tls.once("secure", () => {
    clearTimeout(timer);
    const name = typeof tls.servername === "string" && tls.servername !== "" ? tls.servername.toLowerCase() : host;
    void passOn({ address, header: "x-tls-sni", name }, tls, options);
  });
}

async function passOn(to: Destination, client: Duplex, options: GatewayOptions): Promise<void> {
  try {
    await tunnel(client, to, options.egressPort());
  } catch (error) {
    client.end(unavailable(error));
  }
}

function unavailable(error: unknown): string {
  const words = `The sandbox's way out is not available (${error instanceof Error ? error.message : error}); try again.\n`;
  return [
    "HTTP/1.1 503 The sandbox's way out is not available",
    "content-type: text/plain; charset=utf-8",
    "connection: close",
    `content-length: ${Buffer.byteLength(words)}`,
    "",
    words,
  ].join("\r\n");
}
