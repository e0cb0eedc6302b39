// The built-in engine, which runs machines without Docker.

import { SIDECAR_IMAGE } from "./docker-images.ts";
import type { Engine } from "./engine.ts";
import { type EngineOptions, startEngine } from "./engine-process.ts";

export async function startBuiltInEngine(options: EngineOptions): Promise<Engine> {
  const engine = await startEngine(options);
  return {
    socket: `unix://${engine.socket}`,
    // It ignores the names.
    images: { machine: "sandbox-mcp", sidecar: SIDECAR_IMAGE },
    keepsEgressHostname: true,
    // Miniflare asks the client whether Docker may grant privileges; here there is no client, and no privileges are granted.
    workerEnvironment: { WRANGLER_DOCKER_BIN: "false" },
    ended: engine.ended,
    stop: (ms) => engine.stop(ms),
    cleanUp: async () => undefined,
  };
}
