// Passes the captured sockets (network.pl) to the engine, before any program of the machine runs. The engine closes the
// channel, so that nothing in the machine can use it afterwards.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import type { PassedSocket } from "../egress/captured-sockets.ts";
import { INHERITED_SOCKETS } from "../egress/machine-network.ts";

/** Resolves when the engine has closed the channel. */
export async function passSockets(): Promise<void> {
  const closed = once(process, "disconnect");
  await Promise.all(
    INHERITED_SOCKETS.map(({ kind, descriptor }) =>
      kind === "dns-udp" ? passDatagramSocket(kind, descriptor) : passServer(kind, descriptor),
    ),
  );
  process.send?.("all" satisfies PassedSocket);
  await closed;
}

async function passServer(kind: PassedSocket, fd: number): Promise<void> {
  const server = createServer().listen({ fd });
  await once(server, "listening");
  await new Promise((resolve) => process.send?.(kind, server, resolve));
  server.close();
}

async function passDatagramSocket(kind: PassedSocket, fd: number): Promise<void> {
  // Given a descriptor, bind() is done when it returns.
  const socket = createSocket("udp4").bind({ fd });
  await new Promise((resolve) => process.send?.(kind, socket, resolve));
  socket.close();
}
