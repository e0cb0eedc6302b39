// Checks from outside that the Worker answers. Code in an isolate can block the local workerd for ever (in production the platform
// ends such code). Then workerd is ended, Miniflare starts another, and that one finds the machines again.

import { setTimeout } from "node:timers/promises";
import { processIds } from "../proc/proc-file.ts";
import { readStat } from "../proc/process-stat.ts";
import { answersHealth } from "./health.ts";

export interface WatchdogOptions {
  /** Where the Worker is served, on loopback. */
  port: number;
  /** The process that serves the Worker; only its descendants are ever ended. */
  workerPid: number;
  /** Without an answer for this long, workerd is restarted; after as long again, the watchdog gives up. */
  patienceMs: number;
  onRestart: () => void;
  /** Called once, when a restart of workerd did not help. */
  onGiveUp: () => void;
  signal: AbortSignal;
}

const INTERVAL_MS = 1_000;

export async function watch(options: WatchdogOptions): Promise<void> {
  const { port, workerPid, patienceMs, onRestart, onGiveUp, signal } = options;
  let lastAnswer = Date.now();
  let hasRestarted = false;
  while (!signal.aborted) {
    const askedAt = Date.now();
    if (await answersHealth(port, patienceMs)) {
      lastAnswer = Date.now();
      hasRestarted = false;
    }
    if (Date.now() - lastAnswer >= patienceMs && !signal.aborted) {
      if (hasRestarted) return onGiveUp();
      onRestart();
      hasRestarted = true;
      for (const pid of workerdPids(workerPid)) process.kill(pid, "SIGKILL");
      lastAnswer = Date.now();
    }
    await pause(Math.max(0, INTERVAL_MS - (Date.now() - askedAt)), signal);
  }
}

function workerdPids(workerPid: number): number[] {
  const parents = new Map(
    processIds()
      .flatMap((pid) => readStat(pid) ?? [])
      .map((stat) => [stat.pid, stat]),
  );
  const isDescendant = (pid: number): boolean => {
    const parent = parents.get(pid)?.parent ?? 0;
    return parent === workerPid || (parent > 1 && isDescendant(parent));
  };
  return [...parents].filter(([pid, { name }]) => name === "workerd" && isDescendant(pid)).map(([pid]) => pid);
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);
