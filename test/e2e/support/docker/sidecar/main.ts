// Stands in for the image `cloudflare/proxy-everything` where no image registry can be reached: it shares the network
// namespace of one machine, lets workerd in, and sends what the machine sends out to
// workerd's port. It uses the parts of the built-in engine that do the same there.

import { connect, createServer } from "node:net";
import { parseArgs } from "node:util";
import { openCertificateAuthority } from "../../../../../container/engine/egress/certificate-authority.ts";
import { sendToWorker } from "../../../../../container/engine/egress/gateway.ts";
import { captureTraffic } from "./capture.ts";
import { serveWorkerd } from "./ingress.ts";

const { values } = parseArgs({ strict: false, options: { "http-egress-port": { type: "string" } } });

let egressPort = Number(values["http-egress-port"]);
const relayed = new Set<number>();

async function main(): Promise<void> {
  const authority = await openCertificateAuthority("/");
  // workerd starts the machine when it has the answers of serveWorkerd(), so nothing of the machine escapes.
  await captureTraffic((connection) =>
    sendToWorker(connection, { authority, egress: () => ({ port: relayTo(egressPort), hostname: null }) }),
  );
  serveWorkerd({
    certificate: authority.certificate,
    onEgressPort: (port) => {
      egressPort = port;
    },
  });
}

/** The engine's gateway connects to loopback; workerd listens on the host. Returns the port. */
function relayTo(port: number): number {
  if (relayed.has(port)) return port;
  relayed.add(port);
  createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const worker = connect({ host: "host.docker.internal", port, allowHalfOpen: true, noDelay: true });
    for (const [from, to] of [
      [client, worker],
      [worker, client],
    ] as const)
      from.on("error", () => to.destroy()).pipe(to);
  }).listen(port, "127.0.0.1");
  return port;
}

void main();
