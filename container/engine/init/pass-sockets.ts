// Gives the engine the sockets at which everything arrives that programs of the machine send out (network-script.ts), before
// any of these programs runs. The engine closes the channel, and nothing in the machine has a way to it afterwards.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { CAPTURED_PORTS, DNS_TCP_SOCKET, DNS_UDP_SOCKET, FIRST_SOCKET } from "../egress/captured-ports.ts";
import type { SocketKind } from "../egress/captured-sockets.ts";

/** Resolves when the engine has closed the channel. */
export async function handOverSockets(): Promise<void> {
  const closed = once(process, "disconnect");
  await Promise.all([
    ...CAPTURED_PORTS.map((_, index) => giveServer("tcp", FIRST_SOCKET + index)),
    giveServer("dns-tcp", DNS_TCP_SOCKET),
    giveDns(DNS_UDP_SOCKET),
  ]);
  process.send?.("all" satisfies SocketKind);
  await closed;
}

async function giveServer(kind: SocketKind, fd: number): Promise<void> {
  const server = createServer().listen({ fd });
  await once(server, "listening");
  await new Promise((resolve) => process.send?.(kind, server, resolve));
  server.close();
}

async function giveDns(fd: number): Promise<void> {
  // It is bound when this returns, unlike one that is bound to a port.
  const socket = createSocket("udp4").bind({ fd });
  await new Promise((resolve) => process.send?.("dns-udp" satisfies SocketKind, socket, resolve));
  socket.close();
}
