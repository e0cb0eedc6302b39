// How the Worker reaches the pool and its processes, and they its egress.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { makePrivateDirectory } from "../private-directory.ts";
import { POOL_SIZE } from "./isolate-pool.ts";

export interface IsolateSockets {
  /** The Unix socket of the pool. */
  pool: string;
  /** The Unix sockets of the processes, by slot. */
  processes: string[];
  /** A secret: the gate of the egress listens on a port of loopback, which other users of this host reach too. */
  egressToken: string;
}

/** The entrypoint in main-worker.js. */
export const EGRESS_GATE = "IsolateEgressGate";

export function isolateSockets(directory: string): IsolateSockets {
  makePrivateDirectory(directory);
  return {
    pool: join(directory, "pool.sock"),
    processes: Array.from({ length: POOL_SIZE }, (_, slot) => join(directory, `${slot}.sock`)),
    egressToken: randomBytes(32).toString("base64url"),
  };
}

/** The bindings that main-worker.js has beside those of the real Worker. */
export const isolateBindings = ({ pool, processes }: IsolateSockets) =>
  Object.fromEntries([
    ["ISOLATE_POOL", unixService(pool)],
    ...processes.map((path, slot) => [`ISOLATES_${slot}`, unixService(path)]),
  ]);

const unixService = (path: string) => ({ external: { address: `unix:${path}`, http: {} } });
