// Checks from outside that the Worker answers, and ends its workerd when it hangs. Miniflare starts another, which finds the machines
// again. Only silence that starvation does not explain counts: on an overloaded host, a healthy server answers late.

import { setTimeout } from "node:timers/promises";
import { processIds, readProcFile } from "../proc/proc-file.ts";
import { readStat } from "../proc/process-stat.ts";
import { runDelayMs } from "../proc/run-delay.ts";
import { answersHealth } from "./health.ts";

export interface WatchdogOptions {
  /** Where the Worker is served, on loopback. */
  port: number;
  /** The process that serves the Worker; only its descendants are ever ended. */
  workerPid: number;
  /** After this much silence workerd is restarted; after as long again, the watchdog gives up. */
  patienceMs: number;
  onRestart: () => void;
  /** Called once, when a restart of workerd did not help. */
  onGiveUp: () => void;
  signal: AbortSignal;
}

const INTERVAL_MS = 1_000;
/** The longest that one check waits. */
const CHECK_MAX_MS = 5_000;
/** A check that took so much longer shows that this process was suspended, and nothing about the server. */
const LATE_MS = 1_000;

export async function watch({ port, workerPid, patienceMs, ...options }: WatchdogOptions): Promise<void> {
  const { onRestart, onGiveUp, signal } = options;
  const checkMs = Math.min(CHECK_MAX_MS, patienceMs);
  let silentMs = 0;
  let hasRestarted = false;
  let workerd: number | null = null;
  while (!signal.aborted) {
    // Reading all of /proc every second would cost too much.
    if (workerd === null || !isWorkerd(workerd, workerPid)) workerd = findWorkerd(workerPid);
    const lap = startLap(workerd);
    if (await answersHealth(port, checkMs)) {
      silentMs = 0;
      hasRestarted = false;
      await pause(INTERVAL_MS, signal);
      continue;
    }
    // A refused connection fails at once.
    await pause(INTERVAL_MS - lap().elapsedMs, signal);
    const { elapsedMs, starvedMs } = lap();
    if (elapsedMs < checkMs + INTERVAL_MS + LATE_MS) silentMs += Math.max(0, elapsedMs - starvedMs);
    if (silentMs < patienceMs || signal.aborted) continue;
    if (hasRestarted) return onGiveUp();
    onRestart();
    hasRestarted = true;
    silentMs = 0;
    if (workerd !== null) end(workerd);
  }
}

/** Measures from now on. Time in which workerd or this process could not run explains silence. */
function startLap(workerd: number | null): () => { elapsedMs: number; starvedMs: number } {
  const startedAt = performance.now();
  const waited = () => runDelayMs("self") + (workerd === null ? 0 : runDelayMs(workerd));
  const before = waited();
  return () => ({ elapsedMs: performance.now() - startedAt, starvedMs: Math.max(0, waited() - before) });
}

/** Null while there is none. */
const findWorkerd = (workerPid: number): number | null => processIds().find((pid) => isWorkerd(pid, workerPid)) ?? null;

/** Whether it is the one that serves the Worker; those that run isolates have a configuration of their own. */
function isWorkerd(pid: number, workerPid: number): boolean {
  const stat = readStat(pid);
  if (stat?.parent !== workerPid || stat.name !== "workerd") return false;
  return !readProcFile(`/proc/${pid}/cmdline`)?.includes("isolates.capnp");
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended in this moment.
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
