// Listens on a unix socket that only its owner may use. It replaces the socket of an engine that has ended.

import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { PREDECESSOR_MS } from "../limits.ts";

/** Rejects when another engine serves the path and does not end. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  for (const giveUpAt = performance.now() + PREDECESSOR_MS; await isServed(path); await delay(20)) {
    if (performance.now() > giveUpAt) throw new Error(`Cannot listen on '${path}': another engine serves it`);
  }
  rmSync(path, { force: true });
  // The mask, unlike a later chmod, leaves no moment in which other users could connect.
  const mask = process.umask(0o177);
  server.listen(path);
  process.umask(mask);
  await once(server, "listening");
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
