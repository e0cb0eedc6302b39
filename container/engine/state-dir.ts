// Where the engine keeps what it needs on disk: `tools-…` (what every machine sees read-only, made once) and one
// `run-PID-START` for each engine that runs, with its machines' directories. Those of engines that have ended are removed.

import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { readStat } from "../proc/process-stat.ts";
import { removeTree } from "./rootfs/remove-tree.ts";

export interface StateDir {
  readonly path: string;
  /** The directory of this engine, removed when it stops. */
  readonly run: string;
  /** Identifies this engine on the host; its control groups are named for it too. */
  readonly runId: string;
}

export function openStateDir(path: string): StateDir {
  const state = resolve(path);
  mkdirSync(state, { recursive: true, mode: 0o711 });
  // Machines of a root-run engine pass through it as unprivileged users, but may not list it.
  if (process.getuid?.() === 0) chmodSync(state, 0o711);
  const runId = `run-${process.pid}-${readStat("self")?.startTime}`;
  for (const name of readdirSync(state)) {
    if (RUN.test(name) && !isRunAlive(name)) void removeTree(join(state, name));
  }
  const run = join(state, runId);
  mkdirSync(run, { mode: 0o711 });
  chmodSync(run, 0o711);
  return { path: state, run, runId };
}

/** Whether `name` is a run id whose engine still runs. Another process could have the same id by now, but not the same start. */
export function isRunAlive(name: string): boolean {
  const [, pid, start] = RUN.exec(name) ?? [];
  return pid !== undefined && readStat(Number(pid))?.startTime === start;
}

const RUN = /^run-(\d+)-(\d+)$/;
