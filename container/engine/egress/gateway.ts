// Sends the connections of a machine to the Worker, as the platform's own sidecar does. TLS is terminated here, so that the
// Worker sees requests. Whether a request may go out is decided by the Worker alone.

import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { EgressListener } from "../docker/machine-registry.ts";
import type { OutgoingConnection } from "./captured-sockets.ts";
import type { CertificateAuthority } from "./certificate-authority.ts";
import { openTunnel, type TunnelTarget } from "./worker-tunnel.ts";

export interface GatewayOptions {
  authority: CertificateAuthority;
  /** It changes when the Worker is loaded again. Undefined until workerd has announced it. */
  egress(): EgressListener | undefined;
}

export function sendToWorker({ host, address, socket }: OutgoingConnection, options: GatewayOptions): void {
  // The client speaks first in both of the protocols that are captured.
  const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS);
  socket.once("close", () => clearTimeout(timer));
  socket.once("readable", () => {
    clearTimeout(timer);
    const first: unknown = socket.read();
    if (!Buffer.isBuffer(first)) return void socket.destroy();
    socket.unshift(first);
    if (first[0] !== TLS_HANDSHAKE) return void forward({ address, header: "x-hostname", name: host }, socket, options);
    terminateTls({ host, address, socket }, options).catch(() => socket.destroy());
  });
}

/** The content type of the first TLS record of a client. */
const TLS_HANDSHAKE = 22;
/** A client that has not sent anything, or not finished its handshake, by then is dropped. */
const HANDSHAKE_MS = 20_000;

async function terminateTls({ host, address, socket }: OutgoingConnection, options: GatewayOptions): Promise<void> {
  const { authority } = options;
  const secureContext = await authority.contextFor(host);
  if (socket.destroyed) return;
  const tls = new TLSSocket(socket, {
    isServer: true,
    secureContext,
    SNICallback: (name, done) =>
      void authority.contextFor(name.toLowerCase()).then((context) => done(null, context), done),
    // Clients that prefer HTTP/2 fall back to these.
    ALPNProtocols: ["http/1.1", "http/1.0"],
  });
  const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS);
  tls.on("error", () => socket.destroy()).once("close", () => clearTimeout(timer));
  tls.once("secure", () => {
    clearTimeout(timer);
    const name = typeof tls.servername === "string" && tls.servername !== "" ? tls.servername.toLowerCase() : host;
    void forward({ address, header: "x-tls-sni", name }, tls, options);
  });
}

async function forward(target: TunnelTarget, client: Duplex, options: GatewayOptions): Promise<void> {
  try {
    await openTunnel(client, target, options.egress());
  } catch (error) {
    client.end(unavailableResponse(error));
  }
}

const UNAVAILABLE = "The sandbox's network gateway is not available";

function unavailableResponse(error: unknown): string {
  const text = `${UNAVAILABLE} (${error instanceof Error ? error.message : error}); try again.\n`;
  return [
    `HTTP/1.1 503 ${UNAVAILABLE}`,
    "content-type: text/plain; charset=utf-8",
    "connection: close",
    `content-length: ${Buffer.byteLength(text)}`,
    "",
    text,
  ].join("\r\n");
}
