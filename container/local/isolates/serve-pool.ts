// The interface through which main-worker.js leases processes: two HTTP calls on a Unix socket.
//
//   GET  /lease?deadline=EPOCH_MS   headers `lease` and `slot`; the body stays open for as long as the process is leased
//   POST /release?lease=ID          {"reason": null, or why the process was ended, "logs": "[…]"}

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { IsolatePool, Lease } from "./isolate-pool.ts";

/** Resolves when the socket accepts connections. */
export async function servePool(pool: IsolatePool, socket: string): Promise<void> {
  const leases = new Map<string, Lease>();
  const server = createServer((request, response) => {
    answer(request, response, pool, leases).catch((error: unknown) => {
      console.error(error);
      response.writeHead(500).end("The pool of isolates failed");
    });
  });
  rmSync(socket, { force: true });
  server.listen(socket);
  await once(server, "listening");
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pool: IsolatePool,
  leases: Map<string, Lease>,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://pool");
  if (pathname === "/lease") {
    lend(await pool.lease(Number(searchParams.get("deadline"))), response, leases);
    return;
  }
  const id = searchParams.get("lease") ?? "";
  const lease = leases.get(id);
  leases.delete(id);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(lease === undefined ? { reason: "crash", logs: "[]" } : await lease.giveBack()));
}

function lend(lease: Lease, response: ServerResponse, leases: Map<string, Lease>): void {
  // The caller has gone while it waited.
  if (response.destroyed) {
    lease.abandon();
    return;
  }
  const id = randomUUID();
  leases.set(id, lease);
  response.once("close", () => {
    if (leases.delete(id)) lease.abandon();
  });
  response.writeHead(200, { lease: id, slot: String(lease.slot) }).flushHeaders();
}
