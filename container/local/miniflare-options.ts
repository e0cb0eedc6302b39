// The options with which Miniflare serves the Worker: on a socket that bypasses Miniflare's own server, and with a network that
// the configuration restricts. test/local/miniflare.test.ts checks everything that these options rely on.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  type MiniflareOptions,
  Response,
  type WorkerdStructuredLog,
} from "miniflare";
import { EGRESS_GATE, type IsolateSockets, isolateBindings } from "./isolates/isolate-sockets.ts";
import type { NetworkRules } from "./network-rules.ts";
import type { WorkerBundle } from "./worker-bundle.ts";

export interface LocalServer {
  bundle: WorkerBundle;
  port: number;
  /** The directory for the storage of Durable Objects and R2. */
  persist: string;
  network: NetworkRules;
  /** A Docker daemon or the built-in engine; `socket` is a URL such as "unix:///var/run/docker.sock". */
  engine: { socket: string; sidecarImage: string; keepsEgressHostname: boolean };
  /** The image that machines are started from. */
  image: string;
  settings: Record<string, string>;
  /** Null for a Worker that runs no generated code. */
  isolates: IsolateSockets | null;
  onLog: (line: WorkerdStructuredLog) => void;
  /** Resolves with the reason for the connection error with this reference, or null when it is unknown. */
  connectionError: (reference: string) => Promise<string | null>;
}

export function miniflareOptions(server: LocalServer): MiniflareOptions {
  const { bundle, port, persist, network, engine, image, settings, isolates } = server;
  const { compatibilityDate } = bundle.options;
  return convertV4MiniflareOptions({
    host: "127.0.0.1",
    // Miniflare also opens a socket for its own use, which takes the URL of a request from a header and serves the objects in R2
    // under /cdn-cgi/. It passes requests to the first Worker. `upstream` replaces the URL of each, so no path under /cdn-cgi/
    // is recognized.
    port: 0,
    upstream: "http://closed.invalid/closed/",
    // Otherwise Miniflare fetches an example of request.cf from the internet.
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.ERROR),
    handleStructuredLogs: server.onLog,
    resourcePersistencePath: persist,
    containerEngine: {
      localDocker: { socketPath: engine.socket, containerEgressInterceptorImage: engine.sidecarImage },
    },
    workers: [
      {
        name: "closed",
        compatibilityDate,
        modules: [moduleOf("closed-worker.js")],
        outboundService: { name: "network" },
      },
      {
        ...bundle.options,
        modulesRoot: bundle.directory,
        modules: bundle.modules,
        durableObjects: withImage(bundle.options.durableObjects, image),
        bindings: {
          ...bundle.options.bindings,
          ...settings,
          ISOLATE_EGRESS_TOKEN: isolates?.egressToken ?? "",
          EGRESS_HOSTNAME: engine.keepsEgressHostname ? secretHostname() : "*",
        },
        outboundService: { name: "network" },
        ...(isolates === null ? {} : withIsolates(isolates)),
      },
      {
        name: "edge",
        compatibilityDate,
        modules: [moduleOf("edge-worker.js")],
        outboundService: { name: "network" },
        serviceBindings: { WORKER: bundle.options.name },
        unsafeDirectSockets: [{ host: "127.0.0.1", port }],
      },
      {
        name: "network",
        compatibilityDate,
        modules: [moduleOf("network-worker.js")],
        outboundService: { name: "network" },
        serviceBindings: {
          NETWORK: { network },
          CONNECTION_ERRORS: async ({ url }) => {
            const reason = await server.connectionError(new URL(url).pathname.slice(1));
            return new Response(reason, { status: reason === null ? 404 : 200 });
          },
        },
      },
    ],
  });
}

/** New for each process of workerd, which tells it to the engine. A label of a host name has at most 63 characters. */
const secretHostname = (): string => `${randomBytes(31).toString("hex")}.invalid`;

const moduleOf = (name: string) => ({
  type: "ESModule" as const,
  path: name,
  contents: readFileSync(join(import.meta.dirname, name), "utf8"),
});

const withIsolates = (isolates: IsolateSockets) => ({
  serviceBindings: isolateBindings(isolates),
  unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, entrypoint: EGRESS_GATE }],
});

function withImage(objects: WorkerBundle["options"]["durableObjects"], imageName: string) {
  const entries = Object.entries(objects).map(([name, object]) => [
    name,
    object.container === undefined ? object : { ...object, container: { imageName } },
  ]);
  return Object.fromEntries(entries);
}
