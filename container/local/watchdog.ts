// Watches the Worker from outside. Code in an isolate can keep the local workerd busy for ever (in production the platform
// ends it); then workerd is ended, wrangler starts another, and the machines are found again.

import { readFileSync } from "node:fs";
import { processIds } from "../proc/proc-file.ts";
import { readStat } from "../proc/process-stat.ts";
import { answersHealth } from "./health.ts";

export interface WatchdogOptions {
  /** Where the Worker is served, on loopback. */
  port: number;
  /** Of the process that runs wrangler; only its descendants are ever ended. */
  servePid: number;
  /** Without an answer for this long, the workerd that runs the Worker is restarted; after as long again, everything is. */
  patienceMs: number;
  onRestart: () => void;
  onHopeless: () => void;
  signal: AbortSignal;
}

const everyMs = 1_000;

export async function watch(options: WatchdogOptions): Promise<void> {
  const { port, servePid, patienceMs, onRestart, onHopeless, signal } = options;
  let lastAnswer = Date.now();
  let restarted = false;
  while (!signal.aborted) {
    const askedAt = Date.now();
    if (await answersHealth(port, patienceMs)) {
      lastAnswer = Date.now();
      restarted = false;
    }
    if (Date.now() - lastAnswer >= patienceMs && !signal.aborted) {
      if (restarted) return onHopeless();
      onRestart();
      restarted = true;
      for (const pid of servingPids(servePid, port)) process.kill(pid, "SIGKILL");
      lastAnswer = Date.now();
    }
    await pause(Math.max(0, everyMs - (Date.now() - askedAt)), signal);
  }
}

/**
 * The descendants of `servePid` that are workerd, but for the one that holds the public port: that one only passes requests on,
 * runs no code of ours, and wrangler does not start it again.
 */
function servingPids(servePid: number, port: number): number[] {
  return workerdPids(servePid).filter((pid) => !commandLine(pid).includes(`=127.0.0.1:${port}`));
}

function workerdPids(servePid: number): number[] {
  const parents = new Map(
    processIds()
      .flatMap((pid) => readStat(pid) ?? [])
      .map((stat) => [stat.pid, stat]),
  );
  const descends = (pid: number): boolean => {
    const parent = parents.get(pid)?.parent ?? 0;
    return parent === servePid || (parent > 1 && descends(parent));
  };
  return [...parents].filter(([pid, { name }]) => name === "workerd" && descends(pid)).map(([pid]) => pid);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It ended meanwhile.
    return "";
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
