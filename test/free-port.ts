// A port of 127.0.0.1 for a server that a test starts. It is below those that the kernel gives out by itself: one of them
// could be another program's by the time that the server listens, which takes seconds.

import { once } from "node:events";
import { createServer } from "node:net";

/** The kernel's begin at 32768 (net.ipv4.ip_local_port_range). */
const FIRST = 10_000;
const SLICE = 4_000;
const SLICES = 5;

/** Each of the test files that run at once takes from a slice of its own. */
const slice = Number(process.env["VITEST_POOL_ID"] ?? 0) % SLICES;
let last = Math.floor(Math.random() * SLICE);

export async function freePort(): Promise<number> {
  for (;;) {
    last = (last + 1) % SLICE;
    const port = FIRST + slice * SLICE + last;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch {
    // Somebody has it.
    return false;
  }
  await once(server.close(), "close");
  return true;
}
