// `npm start`: starts the engine and the Worker, prints how to connect, and keeps both running until Ctrl-C.

import "../engine/close-inherited.ts";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { accessKey } from "./access-key.ts";
import { chooseEngine, projectIdOf } from "./engine-choice.ts";
import { takeLock } from "./lock.ts";
import { onOrphaned } from "./on-orphaned.ts";
import { freePort } from "./port.ts";
import { printStep } from "./print-step.ts";
import { type Server, startServer } from "./server.ts";
import { StopRequests } from "./stop-requests.ts";
import { UserError } from "./user-error.ts";
import { watch } from "./watchdog.ts";
import { formatWelcome } from "./welcome.ts";

const projectDir = join(import.meta.dirname, "../..");
const env = process.env;

/** How long the Worker may be silent before workerd is restarted. Code in isolates cannot block it, so only a bug can. */
const PATIENCE_MS = 30_000;
/** The Worker is started this often in a row; then it cannot be started, and the server ends. */
const RESTARTS_MAX = 5;
/** The pause after the first failed restart; each later one is longer. */
const RESTART_PAUSE_MS = 500;
const NO_ANSWER = `The server did not answer for ${PATIENCE_MS / 1000} s`;

async function main(): Promise<void> {
  const stopping = new StopRequests();
  onOrphaned(() => stopping.request());
  const stateDir = resolve(env["SANDBOX_MCP_STATE"] ?? join(projectDir, ".sandbox-mcp"));
  const lock = takeLock(stateDir, `http://127.0.0.1:${env["PORT"] ?? "8787"}/mcp`);
  try {
    const port = await freePort(env["PORT"], lock.wasStale);
    const key = accessKey(stateDir, env["SANDBOX_MCP_KEY"]);
    const engine = await printStep("Looking for an engine", () => chooseEngine(env["SANDBOX_MCP_ENGINE"]));
    const options = { projectDir, projectId: projectIdOf(stateDir), stateDir, port, key, engine: engine.name };
    await keepRunning(() => startServer(options), {
      port,
      stopping,
      onReady: () => console.log(formatWelcome({ url: `http://127.0.0.1:${port}/mcp`, key, engine })),
    });
  } finally {
    lock.release();
  }
}

interface Keeping {
  port: number;
  stopping: StopRequests;
  onReady: () => void;
}

/** When the engine ends, its machines have ended too, and everything is started anew. */
async function keepRunning(start: () => Promise<Server>, { port, stopping, onReady }: Keeping): Promise<void> {
  const { signal } = stopping;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const server = await Promise.race([start(), aborted(signal)]);
    // Stopped during the start: the guards end what was started when this process exits.
    if (server === undefined) return;
    if (isFirst) onReady();
    const over = new AbortController();
    const engineEnded = server.engineEnded.then(() => "The engine ended; starting everything again …");
    const serving = keepServing(server, { port, signal: AbortSignal.any([signal, over.signal]) });
    const failed = serving.catch((error: unknown) => ({ error }));
    const reason = await Promise.race([engineEnded, aborted(signal), failed]);
    over.abort();
    console.log(typeof reason === "string" ? reason : "Stopping the server and its machines …");
    await stopping.waitUnlessForced(server.stop());
    if (typeof reason === "object") throw reason.error;
  }
}

/**
 * Restarts the Worker whenever it has ended or hangs. The machines continue, and the new one finds them. Resolves at a request to
 * stop, and rejects when the Worker cannot be restarted.
 */
async function keepServing(server: Server, { port, signal }: { port: number; signal: AbortSignal }): Promise<void> {
  while (!signal.aborted) {
    const watching = new AbortController();
    const gaveUp = new Promise<string>((resolve) => {
      void watch({
        port,
        workerPid: server.worker.pid,
        patienceMs: PATIENCE_MS,
        onRestart: () => console.log(`${NO_ANSWER} and is restarted; machines and their files are kept.`),
        onGiveUp: () => resolve(NO_ANSWER),
        signal: watching.signal,
      });
    });
    const reason = await Promise.race([server.worker.ended.then(() => "The Worker ended"), gaveUp, aborted(signal)]);
    watching.abort();
    if (reason === undefined) return;
    console.log(`${reason}; starting it again …`);
    await restartWorker(server);
  }
}

/** Whatever ended the Worker may also end the next one during its start. */
async function restartWorker(server: Server): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await server.restartWorker();
    } catch (error) {
      if (attempt === RESTARTS_MAX) throw error;
      console.error(error instanceof Error ? error.message : error);
      await setTimeout(RESTART_PAUSE_MS * attempt);
    }
  }
}

/** Resolves when the signal has aborted. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(error instanceof UserError ? `\n${error.message}` : error);
  process.exit(1);
}
