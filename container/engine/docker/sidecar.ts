// Stands in for the image `cloudflare/proxy-everything`: a server on a free port of 127.0.0.1 through which workerd reaches
// any port of one machine (`CONNECT`, with the port in X-Dst-Addr). Only the engine's own user may use it.

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import * as z from "zod";
import type { Workload } from "./container.ts";
import type { MachineRegistry } from "./machine-registry.ts";
import { isOwnPeer } from "./own-peer.ts";
import { readBody } from "./read-body.ts";

/** `machine` is the machine's name, `certificate` that of the engine's authority as PEM. */
export async function startSidecar(machine: string, machines: MachineRegistry, certificate: string): Promise<Workload> {
  const sidecar = { machine, machines, certificate };
  const server = createServer(async (request, response) => {
    const { status, body = "" } = await answer(request, sidecar).catch((): Answer => ({ status: 400 }));
    response.writeHead(status).end(body);
  });
  server.on("connect", (request, client, head) => void openTunnel(request, client, head, sidecar));
  const sockets = acceptOwn(server);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const ended = new Promise<number>((resolve) => server.once("close", () => resolve(137)));
  void ended.then(() => machines.setEgress(machine, undefined));
  const kill = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    ended,
    kill,
    signal: async () => kill(),
    ports: { "39001/tcp": [{ HostIp: "127.0.0.1", HostPort: String(portOfServer(server)) }] },
  };
}

interface Sidecar {
  readonly machine: string;
  readonly machines: MachineRegistry;
  readonly certificate: string;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
}

async function answer(request: IncomingMessage, { machine, machines, certificate }: Sidecar): Promise<Answer> {
  if (request.method === "GET" && request.url === "/ca") return { status: 200, body: certificate };
  if (request.method === "PUT" && request.url === "/egress") {
    // workerd sends this again after each load of the Worker.
    const { port, dns } = EgressConfig.parse(JSON.parse((await readBody(request)) || "{}"));
    const hostname = dns.allowHostnames.find((pattern) => !pattern.includes("*")) ?? null;
    if (port !== undefined) machines.setEgress(machine, { port, hostname });
    return { status: 200 };
  }
  console.error(`unexpected call to a sidecar: ${request.method} ${request.url}`);
  return { status: 404 };
}

/** `port` is where workerd listens for what the machine sends out, and `allowHostnames` the names that the Worker has registered. */
const EgressConfig = z.looseObject({
  port: z.number().optional(),
  dns: z.looseObject({ allowHostnames: z.array(z.string()).default([]) }).prefault({}),
});

async function openTunnel(request: IncomingMessage, client: Duplex, head: Buffer, sidecar: Sidecar): Promise<void> {
  client.on("error", () => client.destroy());
  try {
    const machine = await sidecar.machines.connect(sidecar.machine, portOf(request.headers["x-dst-addr"]));
    if (client.destroyed) return void machine.destroy();
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    if (head.length > 0) machine.write(head);
    join(client, machine);
  } catch {
    client.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  }
}

/** The port of `IP:PORT`. The address is whichever one workerd believes the machine to have. */
function portOf(address: string | string[] | undefined): number {
  const port = Number(/:(\d+)$/.exec(String(address))?.[1]);
  if (!(port > 0 && port < 65_536)) throw new Error(`No port in '${address}'`);
  return port;
}

/** Joins both directions, each closed on its own; when one side breaks, so does the other. */
function join(client: Duplex, machine: Socket): void {
  machine.on("error", () => client.destroy()).on("close", () => client.destroy());
  client.on("close", () => machine.destroy());
  client.pipe(machine);
  machine.pipe(client);
}

/**
 * Closes the connections of other users before anything is read from them. Returns the open ones of a server, tunnels too, which
 * Server.closeAllConnections() leaves out.
 */
function acceptOwn(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    if (!isOwnPeer(socket)) return void socket.destroy();
    sockets.add(socket);
    socket.setNoDelay(true).once("close", () => sockets.delete(socket));
  });
  return sockets;
}

function portOfServer(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The sidecar does not listen on a port");
  return address.port;
}
