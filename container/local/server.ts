// Starts and stops the two processes of a server: the engine, and the one that serves the Worker.

import { join } from "node:path";
import { STOP_MS } from "../engine/limits.ts";
import { startBuiltInEngine } from "./built-in-engine.ts";
import { startDockerEngine } from "./docker-engine.ts";
import type { Engine } from "./engine.ts";
import { type EngineChoice, engineStateDir } from "./engine-choice.ts";
import type { GuardedProcess } from "./guarded-process.ts";
import { printStep } from "./print-step.ts";
import { makePrivateDirectory } from "./private-directory.ts";
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
  /**
   * Replaces the process that serves the Worker. Machines and their processes continue. With Docker they start anew from their
   * checkpoints: each process of Miniflare has containers of its own, and does not find those of an earlier one.
   */
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
  const engine = await (options.engine === "Docker" ? startDockerEngine(options) : startBuiltInEngine(options));
  try {
    const serveOnce = () => printStep("Starting the Worker", async () => serve(options, await bundle, engine));
    return new RunningServer(engine, await serveOnce(), serveOnce);
  } catch (error) {
    await engine.stop(ENGINE_STOP_GRACE_MS);
    await engine.cleanUp();
    throw error;
  }
}

async function serve(options: ServerOptions, bundle: string, engine: Engine): Promise<GuardedProcess> {
  const { projectDir, stateDir, port, key } = options;
  makePrivateDirectory(join(stateDir, "state"));
  const serveOptions = {
    bundle,
    port,
    // The layout of wrangler, which served earlier versions.
    persist: join(stateDir, "state/v3"),
    egressLog: join(stateDir, "egress.jsonl"),
    isolates: join(engineStateDir(options.projectId), "isolates"),
    engine: {
      socket: engine.socket,
      sidecarImage: engine.images.sidecar,
      keepsEgressHostname: engine.keepsEgressHostname,
    },
    image: engine.images.machine,
    allowLoopback: process.env["SANDBOX_MCP_TEST_LOOPBACK"] === "1",
    settings: workerSettings(projectDir, port, key),
  };
  return startWorker({ projectDir, options: serveOptions, env: engine.workerEnvironment });
}

class RunningServer implements Server {
  readonly engineEnded: Promise<void>;
  readonly #engine: Engine;
  readonly #serve: () => Promise<GuardedProcess>;
  #worker: GuardedProcess;
  #restart: Promise<void> = Promise.resolve();

  constructor(engine: Engine, worker: GuardedProcess, serve: () => Promise<GuardedProcess>) {
    this.engineEnded = engine.ended;
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
    await this.#engine.stop(ENGINE_STOP_GRACE_MS);
    await this.#worker.stop(WORKER_STOP_GRACE_MS);
    await this.#engine.cleanUp();
  }

  async #replaceWorker(): Promise<void> {
    await this.#worker.stop(0);
    await this.#engine.cleanUp();
    this.#worker = await this.#serve();
  }
}
