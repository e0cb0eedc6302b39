// The parts of one server: the engine, and the process that serves the Worker.

import { join } from "node:path";
import { dockerSocket, prepareImages, SIDECAR_IMAGE } from "./docker.ts";
import type { EngineChoice } from "./engine-choice.ts";
import { type EngineProcess, startEngine } from "./engine-process.ts";
import type { GuardedProcess } from "./guarded-process.ts";
import { step } from "./print-step.ts";
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
  /** The process that serves the Worker. */
  workerPid: number;
  /** Resolves with the name of the part that ended by itself. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

/** For both parts together, so that Ctrl-C takes less than 5 s. */
const STOP_WITHIN_MS = 4_500;
/** Longer than the engine takes to end its machines by force. */
const ENGINE_STOP_GRACE_MS = 4_000;
const WORKER_STOP_GRACE_MS = 3_000;

export async function startServer(options: ServerOptions): Promise<Server> {
  // While the engine starts.
  const bundle = bundleWorker(options.projectDir);
  bundle.catch(() => undefined);
  const engine = options.engine === "Docker" ? null : await startEngine(options);
  try {
    if (engine === null) await step("Building the image", () => prepareImages(options.projectDir, imageOf(options)));
    const worker = await step("Starting the Worker", async () => serve(options, await bundle, engine));
    return {
      workerPid: worker.pid,
      ended: Promise.race([
        worker.ended.then(() => "The Worker"),
        ...(engine === null ? [] : [engine.ended.then(() => "The engine")]),
      ]),
      stop: () => stop(engine, worker),
    };
  } catch (error) {
    await engine?.stop(ENGINE_STOP_GRACE_MS);
    throw error;
  }
}

/** The built-in engine has one image for every name. */
const imageOf = ({ projectId }: ServerOptions): string => `sandbox-mcp:${projectId}`;

async function serve(options: ServerOptions, bundle: string, engine: EngineProcess | null): Promise<GuardedProcess> {
  const { projectDir, stateDir, port, key } = options;
  return startWorker(projectDir, {
    bundle,
    port,
    // As wrangler, which served earlier versions, laid it out.
    persist: join(stateDir, "state/v3"),
    egressLog: join(stateDir, "egress.jsonl"),
    engine: { socket: engine === null ? await dockerSocket() : `unix://${engine.socket}`, sidecarImage: SIDECAR_IMAGE },
    image: imageOf(options),
    allowLoopback: process.env["SANDBOX_MCP_TEST_LOOPBACK"] === "1",
    settings: workerSettings(projectDir, port, key),
  });
}

/** The machines first, while the Worker can still store their files. */
async function stop(engine: EngineProcess | null, worker: GuardedProcess): Promise<void> {
  const stopBy = Date.now() + STOP_WITHIN_MS;
  await engine?.stop(ENGINE_STOP_GRACE_MS);
  await worker.stop(Math.min(WORKER_STOP_GRACE_MS, Math.max(0, stopBy - Date.now())));
}
