// Listens on a unix socket that only its owner may use, taking the place of one that a dead engine left.

import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { PREDECESSOR_MS } from "../limits.ts";

/** Rejects when somebody serves the path and goes on doing so. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  for (const giveUpAt = Date.now() + PREDECESSOR_MS; await isServed(path); await delay(20)) {
    if (Date.now() > giveUpAt) throw new Error(`Cannot listen on '${path}': another engine serves it`);
  }
  rmSync(path, { force: true });
  // No moment with wider permissions: the mask holds while the socket is made.
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
