// The processes behind one server: the engine (unless Docker is it) and the one that runs wrangler.

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { bundleRunner } from "../runner/bundle.ts";
import { type EngineChoice, engineStateDir } from "./engine-choice.ts";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";
import { answersHealth } from "./health.ts";
import { step } from "./print-step.ts";
import type { ServeOptions } from "./serve.ts";
import { UserError } from "./user-error.ts";

export interface ServerOptions {
  projectDir: string;
  projectId: string;
  stateDir: string;
  port: number;
  key: string;
  engine: EngineChoice["name"];
}

export interface Running {
  servePid: number;
  /** Resolves with the name of the part that ended by itself. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

/** Settings of the Worker that are handed on from the environment of `npm start`. */
const handedOn = [
  "ACCESS_KEYS",
  "ALLOWED_HOSTS",
  "SLEEP_AFTER",
  "LONGEST_AWAKE",
  "CHECKPOINT_AFTER",
  "CHECKPOINT_PATHS",
  "MAX_SANDBOXES",
  "MAX_AWAKE",
  "PREVIEW_DOMAIN",
  "EGRESS_CEILING",
  "EGRESS_DEFAULT",
  "EGRESS_SECRETS",
  "GITHUB_REPOSITORY",
  "GITHUB_TOKEN",
  "GITHUB_API_URL",
];

/** The Worker secrets that EGRESS_SECRETS names. The Worker says what is wrong with a setting that cannot be read. */
const namedSecrets = (setting: string | undefined): string[] =>
  [...(setting ?? "").matchAll(/"secret"\s*:\s*"([A-Za-z_][A-Za-z0-9_]*)"/g)].map(([, name = ""]) => name);

const stopGraceMs = 3_000;
/** All that there is for both parts together, so that Ctrl-C takes less than 5 s. */
const stopWithinMs = 4_500;
/** Longer than the engine gives itself. */
const engineStopGraceMs = 4_000;
const healthyWithinMs = 10_000;
const startWithinMs = 60_000;
const notServing = new UserError("The Worker does not answer; what is printed above says why.");

export async function startServer(options: ServerOptions): Promise<Running> {
  const engine = options.engine === "Docker" ? null : await startEngine(options);
  try {
    const serve = await step(
      engine === null ? "Building the image and starting the Worker" : "Starting the Worker",
      () => startServe(options, engine?.socket ?? null),
    );
    return {
      servePid: serve.pid,
      ended: Promise.race([
        serve.ended.then(() => "The Worker"),
        engine === null ? never : engine.process.ended.then(() => "The engine"),
      ]),
      stop: async () => {
        const stopBy = Date.now() + stopWithinMs;
        // The machines first: the Worker stores their files.
        await engine?.process.stop(engineStopGraceMs);
        await serve.stop(Math.min(stopGraceMs, Math.max(0, stopBy - Date.now())));
      },
    };
  } catch (error) {
    await engine?.process.stop(engineStopGraceMs);
    throw error;
  }
}

const never = new Promise<string>(() => undefined);

interface Engine {
  process: GuardedProcess;
  socket: string;
}

async function startEngine({ projectDir, projectId, stateDir }: ServerOptions): Promise<Engine> {
  const runner = join(stateDir, "runner.mjs");
  await step("Bundling the runner", () => bundleRunner(runner));
  const dir = engineStateDir(projectId);
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  const socket = join(dir, "engine.sock");
  const process_ = startGuarded({
    command: process.execPath,
    args: [join(projectDir, "container/engine/main.ts"), "--socket", socket, "--state", dir, "--runner", runner],
    env: process.env,
    onLine: (line) => console.error(`engine: ${line}`),
  });
  await step("Starting the engine", () => process_.ready);
  return { process: process_, socket };
}

/** The package of workerd has no types; what it exports is where its program is. */
const workerdPath = (): string =>
  z.object({ default: z.string() }).parse(createRequire(import.meta.url)("workerd")).default;

async function startServe(options: ServerOptions, socket: string | null): Promise<GuardedProcess> {
  const { projectDir, stateDir, port, key } = options;
  // Browsers and most resolvers take every name under localhost for this host.
  const settings: Record<string, string> = { PREVIEW_DOMAIN: `localhost:${port}` };
  for (const name of [...handedOn, ...namedSecrets(process.env["EGRESS_SECRETS"])]) {
    const value = process.env[name];
    if (value !== undefined) settings[name] = value;
  }
  settings["ACCESS_KEYS"] = `local:${key} ${settings["ACCESS_KEYS"] ?? ""}`.trim();
  const serveOptions: ServeOptions = {
    config: join(projectDir, "wrangler.jsonc"),
    port,
    persist: join(stateDir, "state"),
    egressLog: join(stateDir, "egress.jsonl"),
    builtIn: socket === null ? null : { dockerPath: join(projectDir, "container/engine/docker/docker-client"), socket },
    settings,
  };
  const serve = startGuarded({
    command: process.execPath,
    args: [join(projectDir, "container/local/serve.ts")],
    env: {
      ...process.env,
      SERVE_OPTIONS: JSON.stringify(serveOptions),
      MINIFLARE_WORKERD_PATH: join(projectDir, "container/local/workerd"),
      WORKERD: process.env["MINIFLARE_WORKERD_PATH"] ?? workerdPath(),
      SANDBOX_MCP_NODE: process.execPath,
      // Nothing is asked of the network for a local server.
      WRANGLER_SEND_METRICS: "false",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_WRITE_LOGS: "false",
      X_LOCAL_EXPLORER: "false",
      X_LOCAL_OBSERVABILITY: "false",
    },
    onLine: (line) => console.error(line),
  });
  try {
    await (socket === null ? serve.ready : within(startWithinMs, serve.ready));
    await Promise.race([untilHealthy(port), serve.ended]);
    return serve;
  } catch (error) {
    await serve.stop(stopGraceMs);
    throw error;
  }
}

/** wrangler may print an error and wait for an edit that mends it. An image, which may take minutes to build, is not waited for so. */
async function within(ms: number, ready: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = setTimeout(ms, undefined, { signal: timer.signal }).then(() => {
    throw notServing;
  });
  await Promise.race([ready, late]).finally(() => timer.abort());
}

/** wrangler says it is ready when a build has failed, too. */
async function untilHealthy(port: number): Promise<void> {
  for (const giveUpAt = Date.now() + healthyWithinMs; ; ) {
    if (await answersHealth(port, healthyWithinMs)) return;
    if (Date.now() > giveUpAt) throw notServing;
    await setTimeout(50);
  }
}
