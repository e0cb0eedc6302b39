// The program in each machine: serves the runner's one port until it is told to stop, then ends the commands it started.

import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Server } from "node:http";
import type { KilledBy } from "../../src/contract/process.ts";
import { awaitFinalCheckpoint } from "./checkpoint/final-checkpoint.ts";
import { type RunnerOptions, readOptions } from "./options.ts";
import { endProcess } from "./process/supervise-process.ts";
import { createContext, type RunnerContext } from "./runner-context.ts";
import { createRunnerServer } from "./server.ts";

process.title = "sandbox-runner";
// A bug in the handling of one command must not end all others.
process.on("uncaughtException", (error) => console.error(error));
// Node starts the threads of its pool at their first use, and aborts if a fork bomb leaves it none: start them now.
await stat("/");
await serve(readOptions(process.env));

async function serve(options: RunnerOptions): Promise<void> {
  const context = createContext(options);
  const server = createRunnerServer(context);
  // Before it serves, the runner has nothing to keep alive, so a fault ends it.
  server.once("error", (error) => {
    console.error(error);
    process.exit(1);
  });
  server.listen(options.port, "0.0.0.0");
  await once(server, "listening");
  makeLogDirectory(options.logDirectory);
  void context.checkpoints.keepFirstReserve();
  process.once("SIGTERM", () => void stop(server, context));
  process.once("SIGINT", () => void stop(server, context));
  // The engine sends it where machines share a disk and this one has written more than it may.
  process.on("SIGUSR2", () => void endAll(context, "disk", "SIGKILL"));
}

/** How long answers that are being sent may take once the runner stops. */
const LAST_ANSWERS_MS = 100;

/** A failure does not keep the runner from serving: each answer says that its log could not be kept. */
function makeLogDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    console.error(error);
  }
}

async function endAll(context: RunnerContext, killedBy: KilledBy, firstSignal: NodeJS.Signals): Promise<void> {
  const unsettled = context.registry.list().filter((command) => !command.settled);
  for (const command of unsettled) if (command.exit === null) command.killedBy ??= killedBy;
  await Promise.all(unsettled.map((command) => endProcess(command, context, { firstSignal, signalled: [] })));
}

async function stop(server: Server, context: RunnerContext): Promise<void> {
  await endAll(context, "machine", "SIGTERM");
  await awaitFinalCheckpoint(context.checkpoints);
  server.close(() => process.exit(0));
  setTimeout(() => process.exit(0), LAST_ANSWERS_MS);
}
