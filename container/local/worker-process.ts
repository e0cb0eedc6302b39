// The process that serves the Worker.

import { basename, delimiter, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";
import { answersHealth } from "./health.ts";
import { printLinesOf } from "./print-lines.ts";
import type { ServeOptions } from "./serve.ts";
import { UserError } from "./user-error.ts";
import { installedWorkerd } from "./workerd-path.ts";

const STOP_GRACE_MS = 3_000;
const READY_WITHIN_MS = 60_000;
const HEALTHY_WITHIN_MS = 10_000;
const notServing = new UserError("The Worker does not answer; what is printed above says why.");

export interface WorkerCommand {
  projectDir: string;
  options: ServeOptions;
  /** Added to the environment of this process. */
  env: Record<string, string>;
}

/** Resolves when the Worker answers. When it does not, the process is ended before the promise rejects. */
export async function startWorker({ projectDir, options, env }: WorkerCommand): Promise<GuardedProcess> {
  const worker = startGuarded({
    command: process.execPath,
    args: [join(projectDir, "container/local/serve.ts")],
    env: { ...process.env, ...workerdByName(), ...env, SERVE_OPTIONS: JSON.stringify(options) },
    onLine: printLinesOf("worker"),
  });
  try {
    await within(READY_WITHIN_MS, worker.ready);
    await Promise.race([untilHealthy(options.port), worker.ended]);
    return worker;
  } catch (error) {
    await worker.stop(STOP_GRACE_MS);
    throw error;
  }
}

/**
 * Has workerd started by its name instead of its path, which would show in those error responses of workerd that contain a
 * native stack.
 */
function workerdByName(): Record<string, string> {
  const path = process.env["MINIFLARE_WORKERD_PATH"] ?? installedWorkerd();
  return {
    MINIFLARE_WORKERD_PATH: basename(path),
    PATH: [dirname(path), process.env["PATH"]].join(delimiter),
  };
}

async function within(ms: number, ready: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = setTimeout(ms, undefined, { signal: timer.signal }).then(() => {
    throw notServing;
  });
  await Promise.race([ready, late]).finally(() => timer.abort());
}

/** workerd accepts connections before the Worker can answer. */
async function untilHealthy(port: number): Promise<void> {
  for (const giveUpAt = Date.now() + HEALTHY_WITHIN_MS; ; ) {
    if (await answersHealth(port, HEALTHY_WITHIN_MS)) return;
    if (Date.now() > giveUpAt) throw notServing;
    await setTimeout(50);
  }
}
