// Starts and stops the two processes of a server: the engine, and the one that serves the Worker.

import { join } from "node:path";
import { STOP_MS } from "../engine/limits.ts";
import { dockerSocket, prepareImages, SIDECAR_IMAGE } from "./docker.ts";
import { type EngineChoice, engineStateDir } from "./engine-choice.ts";
import { type EngineProcess, startEngine } from "./engine-process.ts";
import type { GuardedProcess } from "./guarded-process.ts";
import { printStep } from "./print-step.ts";
import { bundleWorker } from "./worker-bundle.ts";
import { startWorker } from "./worker-process.ts";
import { workerSettings } from "./worker-settings.ts";

export interface ServerOptions {
  projectDir: string;
  projectId: string;
  stateDir: string;
  port: number;
  key: string;
  engine: EngineChoice["name"];
}

export interface Server {
  /** The process that serves the Worker now. */
  readonly worker: GuardedProcess;
  /** Resolves when the engine has ended, and every machine with it. Never does with Docker, which continues on its own. */
  readonly engineEnded: Promise<void>;
  /** Replaces the process that serves the Worker. Machines and their processes continue. */
  restartWorker(): Promise<void>;
  stop(): Promise<void>;
}

/** Longer than the engine takes to end its machines by force. */
const ENGINE_STOP_GRACE_MS = STOP_MS + 500;
const WORKER_STOP_GRACE_MS = 3_000;

export async function startServer(options: ServerOptions): Promise<Server> {
  // The bundle is built while the engine starts.
  const bundle = bundleWorker(options.projectDir);
  bundle.catch(() => undefined);
  const engine = options.engine === "Docker" ? null : await startEngine(options);
  try {
    if (engine === null)
      await printStep("Building the image", () => prepareImages(options.projectDir, imageOf(options)));
    const serveOnce = () => printStep("Starting the Worker", async () => serve(options, await bundle, engine));
    return new RunningServer(engine, await serveOnce(), serveOnce);
  } catch (error) {
    await engine?.stop(ENGINE_STOP_GRACE_MS);
    throw error;
  }
}

/** The built-in engine ignores the name of the image. */
const imageOf = ({ projectId }: ServerOptions): string => `sandbox-mcp:${projectId}`;

async function serve(options: ServerOptions, bundle: string, engine: EngineProcess | null): Promise<GuardedProcess> {
  const { projectDir, stateDir, port, key } = options;
  const serveOptions = {
    bundle,
    port,
    // The layout of wrangler, which served earlier versions.
    persist: join(stateDir, "state/v3"),
    egressLog: join(stateDir, "egress.jsonl"),
    isolates: join(engineStateDir(options.projectId), "isolates"),
    engine: { socket: engine === null ? await dockerSocket() : `unix://${engine.socket}`, sidecarImage: SIDECAR_IMAGE },
    image: imageOf(options),
    allowLoopback: process.env["SANDBOX_MCP_TEST_LOOPBACK"] === "1",
    settings: workerSettings(projectDir, port, key),
  };
  // Miniflare asks the client whether Docker may grant privileges; with the built-in engine there is no client, and it grants none.
  const env = engine === null ? {} : { WRANGLER_DOCKER_BIN: "false" };
  return startWorker({ projectDir, options: serveOptions, env });
}

class RunningServer implements Server {
  readonly engineEnded: Promise<void>;
  readonly #engine: EngineProcess | null;
  readonly #serve: () => Promise<GuardedProcess>;
  #worker: GuardedProcess;
  #restart: Promise<void> = Promise.resolve();

  constructor(engine: EngineProcess | null, worker: GuardedProcess, serve: () => Promise<GuardedProcess>) {
    this.engineEnded = engine?.ended ?? new Promise(() => undefined);
    this.#engine = engine;
    this.#worker = worker;
    this.#serve = serve;
  }

  get worker(): GuardedProcess {
    return this.#worker;
  }

  restartWorker(): Promise<void> {
    this.#restart = this.#replaceWorker();
    return this.#restart;
  }

  /** Stops the machines first, while the Worker can still store their files. */
  async stop(): Promise<void> {
    await this.#restart.catch(() => undefined);
    await this.#engine?.stop(ENGINE_STOP_GRACE_MS);
    await this.#worker.stop(WORKER_STOP_GRACE_MS);
  }

  async #replaceWorker(): Promise<void> {
    await this.#worker.stop(0);
    this.#worker = await this.#serve();
  }
}
