// Serves the Worker with Miniflare, in a process of its own so that it can be ended and restarted as a whole. Its options are
// one JSON object in the environment variable SERVE_OPTIONS (every user of the host could read the key in an argument). Prints
// `ready` when workerd accepts connections.

import { Miniflare, type WorkerdStructuredLog } from "miniflare";
import * as z from "zod";
import { ConnectionErrors } from "./connection-errors.ts";
import { EgressLog } from "./egress-log.ts";
import { IsolatePool } from "./isolates/isolate-pool.ts";
import { EGRESS_GATE, isolateSockets } from "./isolates/isolate-sockets.ts";
import { servePool } from "./isolates/serve-pool.ts";
import { miniflareOptions } from "./miniflare-options.ts";
import { networkRules } from "./network-rules.ts";
import { SourcePositions } from "./source-positions.ts";
import { readBundle } from "./worker-bundle.ts";
import { installedWorkerd } from "./workerd-path.ts";

const ServeOptions = z.object({
  bundle: z.string(),
  port: z.number(),
  persist: z.string(),
  /** The file for the records of what goes out. */
  egressLog: z.string(),
  /** The directory for the sockets of the processes that run isolates. */
  isolates: z.string(),
  engine: z.object({ socket: z.string(), sidecarImage: z.string(), keepsEgressHostname: z.boolean() }),
  image: z.string(),
  /** Set by tests, so that the Worker may connect to loopback. */
  allowLoopback: z.boolean(),
  settings: z.record(z.string(), z.string()),
});
export type ServeOptions = z.infer<typeof ServeOptions>;

const options = ServeOptions.parse(JSON.parse(process.env["SERVE_OPTIONS"] ?? "{}"));
delete process.env["SERVE_OPTIONS"];
// Miniflare and workerd would let every user of the host read what they store.
process.umask(0o077);

/** Logged for each request with the method CONNECT, with which any user of the host could fill the operator's terminal. */
const CONNECT_REFUSED = "Handler does not export a connect() function";

const egressLog = new EgressLog(options.egressLog);
const connectionErrors = new ConnectionErrors();
const positions = new SourcePositions(options.bundle);

const isolates = isolateSockets(options.isolates);
const bundle = readBundle(options.bundle);

const miniflare = new Miniflare(
  miniflareOptions({
    ...options,
    bundle,
    isolates,
    network: networkRules(options),
    connectionError: (reference) => connectionErrors.reasonOf(reference),
    onLog: (line: WorkerdStructuredLog) => {
      egressLog.take(line);
      // Warnings of workerd concern its own internals and are not printed.
      if (line.level === "error" && !connectionErrors.take(line.message) && !line.message.includes(CONNECT_REFUSED))
        console.error(positions.mapStack(line.message));
    },
  }),
);
let pool: IsolatePool;
try {
  await miniflare.ready;
  const { host } = await miniflare.unsafeGetDirectURL(bundle.options.name, EGRESS_GATE);
  const egress = { address: host, token: isolates.egressToken };
  pool = new IsolatePool({ workerd: installedWorkerd(), bundle: bundle.directory, egress }, isolates.processes);
  await servePool(pool, isolates.pool);
} catch (error) {
  console.error(describeError(error));
  process.exit(1);
}
console.log("ready");

const stop = async () => {
  await Promise.all([miniflare.dispose(), pool.close()]);
  process.exit(0);
};
process.once("SIGTERM", () => void stop());
// The pipe closes when the parent ends.
process.stdin.once("close", () => void stop()).resume();

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // Another program has taken the port since main.ts checked it.
  if ("code" in error && error.code === "ERR_ADDRESS_IN_USE")
    return `Address already in use (127.0.0.1:${options.port})`;
  return error.message;
}
