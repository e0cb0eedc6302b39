// `npm start`: starts the engine and the Worker, prints how to connect, and keeps both running until Ctrl-C.

import "../engine/close-inherited.ts";
import { join, resolve } from "node:path";
import { accessKey } from "./access-key.ts";
import { chooseEngine, projectIdOf } from "./engine-choice.ts";
import { takeLock } from "./lock.ts";
import { onOrphaned } from "./on-orphaned.ts";
import { freePort } from "./port.ts";
import { printStep } from "./print-step.ts";
import { type Server, startServer } from "./server.ts";
import { UserError } from "./user-error.ts";
import { watch } from "./watchdog.ts";
import { formatWelcome } from "./welcome.ts";

const projectDir = join(import.meta.dirname, "../..");
const env = process.env;

/** How long the Worker may take to answer before workerd is restarted. */
const PATIENCE_MS = 10_000;
const NO_ANSWER = `The server did not answer for ${PATIENCE_MS / 1000} s`;

async function main(): Promise<void> {
  const stateDir = resolve(env["SANDBOX_MCP_STATE"] ?? join(projectDir, ".sandbox-mcp"));
  const lock = takeLock(stateDir, `http://127.0.0.1:${env["PORT"] ?? "8787"}/mcp`);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => stopping.abort());
  onOrphaned(() => stopping.abort());
  try {
    const port = await freePort(env["PORT"], lock.wasStale);
    const key = accessKey(stateDir, env["SANDBOX_MCP_KEY"]);
    const engine = await printStep("Looking for an engine", () => chooseEngine(env["SANDBOX_MCP_ENGINE"]));
    const options = { projectDir, projectId: projectIdOf(stateDir), stateDir, port, key, engine: engine.name };
    await keepRunning(() => startServer(options), {
      port,
      signal: stopping.signal,
      onReady: () => console.log(formatWelcome({ url: `http://127.0.0.1:${port}/mcp`, key, engine })),
    });
  } finally {
    lock.release();
  }
}

interface Keeping {
  port: number;
  signal: AbortSignal;
  onReady: () => void;
}

/** The engine and workerd rely on each other's state, so when one of them ends, both are started anew. */
async function keepRunning(start: () => Promise<Server>, { port, signal, onReady }: Keeping): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const server = await Promise.race([start(), aborted(signal)]);
    // Stopped during the start: the guards end what was started when this process exits.
    if (typeof server === "string") return;
    if (isFirst) onReady();
    const watching = new AbortController();
    const gaveUp = new Promise<string>((resolve) => {
      void watch({
        port,
        workerPid: server.workerPid,
        patienceMs: PATIENCE_MS,
        onRestart: () => console.log(`${NO_ANSWER} and is restarted; machines and their files are kept.`),
        onGiveUp: () => resolve(NO_ANSWER),
        signal: watching.signal,
      });
    });
    const ended = server.ended.then((part) => `${part} ended`);
    const reason = await Promise.race([ended, gaveUp, aborted(signal)]);
    watching.abort();
    console.log(signal.aborted ? "Stopping the server and its machines …" : `${reason}; starting everything again …`);
    await server.stop();
  }
}

function aborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("");
    signal.addEventListener("abort", () => resolve(""), { once: true });
  });
}

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(error instanceof UserError ? `\n${error.message}` : error);
  process.exit(1);
}
