// Bounds the connections to the runner's port, which programs in the machine can open too, so that the runner keeps descriptors
// for its work and a new caller is always served: first those are closed that have sent nothing, then those that are idle.

import type { Server } from "node:http";
import type { Socket } from "node:net";

/** The server must not have accepted a connection yet. */
export function limitConnections(server: Server, connectionsMax: number): void {
  const all = new Set<Socket>();
  /** Those that have never sent a request, and those whose last request is answered, longest first. */
  const silent = new Set<Socket>();
  const idle = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    all.add(socket);
    silent.add(socket);
    socket.once("close", () => {
      for (const set of [all, silent, idle]) set.delete(socket);
    });
    if (all.size <= connectionsMax) return;
    const [longest = idle.values().next().value] = silent.size > 1 ? silent : [];
    longest?.destroy();
  });
  server.on("request", ({ socket }, response) => {
    silent.delete(socket);
    idle.delete(socket);
    response.once("close", () => {
      if (all.has(socket)) idle.add(socket);
    });
  });
}
