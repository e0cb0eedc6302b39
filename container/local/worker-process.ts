// The process that serves the Worker.

import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";
import { answersHealth } from "./health.ts";
import type { ServeOptions } from "./serve.ts";
import { UserError } from "./user-error.ts";

const STOP_GRACE_MS = 3_000;
const READY_WITHIN_MS = 60_000;
const HEALTHY_WITHIN_MS = 10_000;
const notServing = new UserError("The Worker does not answer; what is printed above says why.");

/** Resolves when the Worker answers; rejects, with nothing left running, when it does not. */
export async function startWorker(projectDir: string, options: ServeOptions): Promise<GuardedProcess> {
  const worker = startGuarded({
    command: process.execPath,
    args: [join(projectDir, "container/local/serve.ts")],
    env: { ...process.env, ...workerdByName(), SERVE_OPTIONS: JSON.stringify(options) },
    onLine: (line) => console.error(line),
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

/** The answers that workerd makes of its own errors name the program as it was called: by its name alone they show no path. */
function workerdByName(): Record<string, string> {
  const path = process.env["MINIFLARE_WORKERD_PATH"] ?? installedWorkerd();
  return {
    MINIFLARE_WORKERD_PATH: basename(path),
    PATH: [dirname(path), process.env["PATH"]].join(delimiter),
  };
}

/** The package has no types; what it exports is where its program is. */
const installedWorkerd = (): string =>
  z.object({ default: z.string() }).parse(createRequire(import.meta.url)("workerd")).default;

async function within(ms: number, ready: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = setTimeout(ms, undefined, { signal: timer.signal }).then(() => {
    throw notServing;
  });
  await Promise.race([ready, late]).finally(() => timer.abort());
}

/** workerd listens before the Worker has started. */
async function untilHealthy(port: number): Promise<void> {
  for (const giveUpAt = Date.now() + HEALTHY_WITHIN_MS; ; ) {
    if (await answersHealth(port, HEALTHY_WITHIN_MS)) return;
    if (Date.now() > giveUpAt) throw notServing;
    await setTimeout(50);
  }
}
