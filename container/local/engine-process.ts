// The process of the built-in engine.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bundleRunner } from "../runner/bundle.ts";
import { engineStateDir } from "./engine-choice.ts";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";
import { ownScope } from "./own-scope.ts";
import { printLinesOf } from "./print-lines.ts";
import { printStep } from "./print-step.ts";

export interface EngineProcess extends GuardedProcess {
  /** The unix socket on which it answers Docker's API. */
  socket: string;
}

export interface EngineOptions {
  projectDir: string;
  projectId: string;
  stateDir: string;
}

export async function startEngine({ projectDir, projectId, stateDir }: EngineOptions): Promise<EngineProcess> {
  const runner = join(stateDir, "runner.mjs");
  await printStep("Bundling the runner", () => bundleRunner(runner));
  const directory = engineStateDir(projectId);
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const socket = join(directory, "engine.sock");
  const main = join(projectDir, "container/engine/main.ts");
  const [command = "", ...args] = [
    ...[...(await ownScope()), process.execPath, main],
    ...["--socket", socket, "--state", directory, "--runner", runner],
  ];
  const engine = startGuarded({
    command,
    args,
    env: process.env,
    onLine: printLinesOf("engine"),
  });
  await printStep("Starting the engine", () => engine.ready);
  return { ...engine, socket };
}
