// What workerd asks of its sidecar: connections to any port of the machine, the certificate of the authority, and the port to
// which outgoing traffic goes.

import { createServer } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import * as z from "zod";

export interface Ingress {
  /** PEM. */
  certificate: string;
  onEgressPort: (port: number) => void;
}

const EgressConfig = z.looseObject({ port: z.number().optional() });

/** Where entry.sh sends the connections of workerd. */
const PORT = 39_002;

export function serveWorkerd({ certificate, onEgressPort }: Ingress): void {
  const server = createServer(async (request, response) => {
    if (request.method === "GET" && request.url === "/ca") return void response.end(certificate);
    if (request.method !== "PUT" || request.url !== "/egress") return void response.writeHead(404).end();
    const { port } = EgressConfig.parse(JSON.parse(await text(request)));
    if (port !== undefined) onEgressPort(port);
    response.end();
  });
  server.on("connect", (request, client, head) => {
    const [host = "", port] = String(request.headers["x-dst-addr"]).split(":");
    client.on("error", () => machine.destroy());
    const machine = connect({ host, port: Number(port), allowHalfOpen: true, noDelay: true }, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      machine.write(head);
      client.pipe(machine).pipe(client);
    });
    machine.on("error", () => client.end("HTTP/1.1 400 Bad Request\r\n\r\n")).on("close", () => client.destroy());
  });
  server.on("connection", (socket) => socket.setNoDelay(true));
  server.listen(PORT, "127.0.0.1");
}
