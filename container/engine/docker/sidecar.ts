// Stands in for the image `cloudflare/proxy-everything`: a server on a free port of 127.0.0.1 through which workerd
// reaches any port of one machine (`CONNECT`, with the port in X-Dst-Addr). Only the engine's own user may use it.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import * as z from "zod";
import type { Workload } from "./container.ts";
import { isOwnPeer } from "./own-peer.ts";
import { readBody } from "./read-body.ts";

export interface SidecarOptions {
  /** PEM. */
  authority: string;
  /** To a port of the machine. */
  connect(port: number): Promise<Socket>;
  /** Workerd says where it listens for what the machine sends out, again after each load of the Worker. */
  onEgressPort(port: number): void;
}

export async function startSidecar({ authority, connect, onEgressPort }: SidecarOptions): Promise<Workload> {
  const sockets = new Set<Duplex>();
  const server = createServer(async (request, response) => {
    response.writeHead(await settings(request).catch(() => 400)).end(request.url === "/ca" ? authority : "");
  });
  const settings = async (request: IncomingMessage): Promise<number> => {
    if (!isOwnPeer(request.socket)) return 403;
    if (request.method === "GET" && request.url === "/ca") return 200;
    if (request.method === "PUT" && request.url === "/egress") {
      const { port } = EgressConfig.parse(JSON.parse((await readBody(request)) || "{}"));
      if (port !== undefined) onEgressPort(port);
      return 200;
    }
    console.error(`unexpected call to a sidecar: ${request.method} ${request.url}`);
    return 404;
  };
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.setNoDelay(true).once("close", () => sockets.delete(socket));
  });
  server.on("connect", (request, client, head) => void tunnel(request, client, head, connect));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const ended = new Promise<number>((resolve) => server.once("close", () => resolve(137)));
  const kill = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const { port } = server.address() as AddressInfo;
  return {
    ended,
    removed: ended.then(() => undefined),
    kill,
    signal: async () => kill(),
    ports: { "39001/tcp": [{ HostIp: "127.0.0.1", HostPort: String(port) }] },
  };
}

const EgressConfig = z.looseObject({ port: z.number().optional() });

async function tunnel(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  connect: (port: number) => Promise<Socket>,
): Promise<void> {
  client.on("error", () => client.destroy());
  try {
    if (!isOwnPeer(request.socket)) return void client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const machine = await connect(portOf(request.headers["x-dst-addr"]));
    if (client.destroyed) return void machine.destroy();
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    if (head.length > 0) machine.write(head);
    join(client, machine);
  } catch {
    client.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  }
}

/** `IP:PORT`, where the address is whatever workerd thinks the machine has. */
function portOf(address: string | string[] | undefined): number {
  const port = Number(/:(\d+)$/.exec(String(address))?.[1]);
  if (!(port > 0 && port < 65_536)) throw new Error(`No port in '${address}'`);
  return port;
}

/** Both directions, each closed on its own; when one side breaks, so does the other. */
function join(client: Duplex, machine: Socket): void {
  machine.on("error", () => client.destroy()).on("close", () => client.destroy());
  client.on("close", () => machine.destroy());
  client.pipe(machine);
  machine.pipe(client);
}
