// The program in each machine: serves the runner's one port until it is told to stop, and then ends what it started.

import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Server } from "node:http";
import { lastCheckpoint } from "./checkpoint/final-checkpoint.ts";
import { type RunnerOptions, readOptions } from "./options.ts";
import { endProcess } from "./process/start-process.ts";
import { createMachine, type Machine } from "./runner-context.ts";
import { createRunnerServer } from "./server.ts";

process.title = "sandbox-runner";
// Whatever goes wrong in one command's affairs, the others' go on.
process.on("uncaughtException", (error) => console.error(error));
// Node makes the threads of its pool when it first needs one, and aborts when a fork bomb has left it none.
await stat("/");
await serve(readOptions(process.env));

async function serve(options: RunnerOptions): Promise<void> {
  const machine = createMachine(options);
  const server = createRunnerServer(machine);
  // Before it serves, any fault is the end: there is nothing to keep alive yet.
  server.once("error", (error) => {
    console.error(error);
    process.exit(1);
  });
  server.listen(options.port, "0.0.0.0");
  await once(server, "listening");
  makeLogDirectory(options.logDirectory);
  process.once("SIGTERM", () => void stop(server, machine));
  process.once("SIGINT", () => void stop(server, machine));
}

/** An answer that is on its way has this long to leave. */
const LAST_ANSWERS_MS = 100;

/** A log that cannot be kept is said in each answer; it is no reason not to serve. */
function makeLogDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    console.error(error);
  }
}

async function stop(server: Server, machine: Machine): Promise<void> {
  const unsettled = machine.registry.list().filter((command) => !command.settled);
  for (const command of unsettled) if (command.exit === null) command.killedBy ??= "machine";
  await Promise.all(unsettled.map((command) => endProcess(command, machine, { first: "SIGTERM", asked: [] })));
  await lastCheckpoint(machine.checkpoints);
  server.close(() => process.exit(0));
  setTimeout(() => process.exit(0), LAST_ANSWERS_MS);
}
