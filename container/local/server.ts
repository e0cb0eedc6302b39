// Starts and stops the two processes of a server: the engine, and the one that serves the Worker.

import { join } from "node:path";
import { startBuiltInEngine } from "./built-in-engine.ts";
import { startDockerEngine } from "./docker-engine.ts";
import type { Engine } from "./engine.ts";
import type { EngineChoice } from "./engine-choice.ts";
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
  /** The id of the process that serves the Worker. */
  workerPid: number;
  /** Resolves with the name of the process that ended unexpectedly. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

/** The time for both processes together, so that Ctrl-C takes less than 5 s. */
const STOP_WITHIN_MS = 4_500;
/** Longer than the engine takes to end its machines by force. */
const ENGINE_STOP_GRACE_MS = 4_000;
const WORKER_STOP_GRACE_MS = 3_000;

export async function startServer(options: ServerOptions): Promise<Server> {
  // The bundle is built while the engine starts.
  const bundle = bundleWorker(options.projectDir);
  bundle.catch(() => undefined);
  const engine = await (options.engine === "Docker" ? startDockerEngine(options) : startBuiltInEngine(options));
  try {
    const worker = await printStep("Starting the Worker", async () => serve(options, await bundle, engine));
    return {
      workerPid: worker.pid,
      ended: Promise.race([worker.ended.then(() => "The Worker"), engine.ended.then(() => "The engine")]),
      stop: () => stop(engine, worker),
    };
  } catch (error) {
    await engine.stop(ENGINE_STOP_GRACE_MS);
    await engine.cleanUp();
    throw error;
  }
}

async function serve(options: ServerOptions, bundle: string, engine: Engine): Promise<GuardedProcess> {
  const { projectDir, stateDir, port, key } = options;
  const serveOptions = {
    bundle,
    port,
    // The layout of wrangler, which served earlier versions.
    persist: join(stateDir, "state/v3"),
    egressLog: join(stateDir, "egress.jsonl"),
    engine: { socket: engine.socket, sidecarImage: engine.images.sidecar },
    image: engine.images.machine,
    allowLoopback: process.env["SANDBOX_MCP_TEST_LOOPBACK"] === "1",
    settings: workerSettings(projectDir, port, key),
  };
  return startWorker({ projectDir, options: serveOptions, env: engine.workerEnvironment });
}

/** Stops the machines first, while the Worker can still store their files. */
async function stop(engine: Engine, worker: GuardedProcess): Promise<void> {
  const stopBy = Date.now() + STOP_WITHIN_MS;
  await engine.stop(ENGINE_STOP_GRACE_MS);
  await worker.stop(Math.min(WORKER_STOP_GRACE_MS, Math.max(0, stopBy - Date.now())));
  await engine.cleanUp();
}
