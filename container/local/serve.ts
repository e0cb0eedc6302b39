// Serves the Worker under wrangler in a process of its own, so that it can be ended and restarted whole. Everything comes in
// the one JSON object of the environment variable SERVE_OPTIONS (an argument would show the key to every user of the host).
// Says `ready` on stdout when the Worker answers.

import { dirname, join } from "node:path";
import { unstable_DevEnv } from "wrangler";
import * as z from "zod";
import { EgressLog, type LoggedLine } from "./egress-log.ts";
import { RuntimeFaults } from "./runtime-faults.ts";
import { sourcePlaces } from "./source-positions.ts";

const ServeOptions = z.object({
  config: z.string(),
  port: z.number(),
  persist: z.string(),
  /** The file for the records of what goes out. */
  egressLog: z.string(),
  /** Null where a Docker daemon is the engine; wrangler finds that itself. */
  builtIn: z.object({ dockerPath: z.string(), socket: z.string() }).nullable(),
  settings: z.record(z.string(), z.string()),
});
export type ServeOptions = z.infer<typeof ServeOptions>;

const options = ServeOptions.parse(JSON.parse(process.env["SERVE_OPTIONS"] ?? "{}"));
delete process.env["SERVE_OPTIONS"];

/** Where wrangler puts the bundled Worker. */
const bundles = join(dirname(options.config), ".wrangler/tmp");
const egressLog = new EgressLog(options.egressLog);
const faults = new RuntimeFaults();
const answerFaults = async ({ url }: { url: string }) => new Response(await faults.of(new URL(url).pathname.slice(1)));

const wrangler = new unstable_DevEnv();
// It says nothing of these and waits for ever; one is a port that somebody else has got meanwhile.
wrangler.on("error", giveUp);
const worker = await wrangler.startWorker({
  config: options.config,
  bindings: {
    ...Object.fromEntries(
      Object.entries(options.settings).map(([name, value]) => [name, { type: "secret_text" as const, value }]),
    ),
    RUNTIME_FAULTS: { type: "fetcher", fetcher: answerFaults },
  },
  build: { nodejsCompatMode: "v2" },
  dev: {
    server: { hostname: "127.0.0.1", port: options.port },
    // The inspector leads to every secret of the Worker.
    inspector: false,
    watch: false,
    persist: options.persist,
    ...(options.builtIn === null
      ? {}
      : { dockerPath: options.builtIn.dockerPath, containerEngine: `unix://${options.builtIn.socket}` }),
    containerBuildId: crypto.randomUUID().slice(0, 8),
    enableContainers: true,
    // Its warnings are about workerd's own affairs.
    logLevel: "error",
    structuredLogsHandler: (line: LoggedLine) => {
      egressLog.take(line);
      if (line.level === "error" && !faults.take(line.message)) console.error(sourcePlaces(line.message, bundles));
    },
  },
});
await worker.ready;
wrangler.off("error", giveUp);
console.log("ready");

const stop = async () => {
  await worker.dispose();
  process.exit(0);
};
process.once("SIGTERM", () => void stop());
// The parent keeps this pipe open as long as it lives.
process.stdin.once("close", () => void stop()).resume();

/** With an error, or with wrangler's event that has one in it. */
function giveUp(problem: Error | { reason: string; cause: Error }): void {
  console.error(problem instanceof Error ? problem.message : `${problem.reason}: ${problem.cause.message}`);
  process.exit(1);
}
