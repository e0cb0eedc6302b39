// Ends everything a command started: first with a signal that it can handle, then with SIGKILL, until a scan finds nothing.

import { limits } from "../../../src/contract/limits.ts";
import { type ProcessStat, processKey } from "../../proc/process-stat.ts";

export interface EndOptions {
  /** Every living process of the command. */
  scan: () => ProcessStat[];
  /** A process that ends on its own when its command does, and must not be signalled before. */
  wrapper: number | null;
  firstSignal: NodeJS.Signals;
  /** Processes that have been sent the first signal already. */
  signalled: ProcessStat[];
}

/** SIGKILL takes effect when the kernel gets to it. This many scans, with a pause that grows to 100 ms, take 10 s. */
const SCANS_MAX = 110;

/** Resolves when nothing is left, or when what is left cannot be killed. */
export async function endEverything(options: EndOptions): Promise<void> {
  const { firstSignal, wrapper } = options;
  const deadline = performance.now() + limits.killGraceMs;
  const signalled = new Set(options.signalled.map(processKey));
  for (let pause = 2; performance.now() < deadline; pause = Math.min(pause * 2, 100)) {
    const living = scanTwice(options);
    if (living.length === 0) return;
    const unsignalled = living.filter((stat) => !signalled.has(processKey(stat)));
    signalAll(unsignalled, firstSignal, wrapper);
    for (const stat of unsignalled) signalled.add(processKey(stat));
    await delay(Math.min(pause, Math.max(0, deadline - performance.now())));
  }
  for (let round = 0; round < SCANS_MAX; round++) {
    const living = scanTwice(options);
    if (living.length === 0) return;
    signalAll(living, "SIGKILL", round < 3 ? wrapper : null);
    await delay(Math.min(round, 100));
  }
}

/** A first scan misses a process that is started during it by one that ends before the scan reaches it. */
function scanTwice({ scan }: EndOptions): ProcessStat[] {
  const living = scan();
  return living.length === 0 ? scan() : living;
}

/** Returns how many were signalled. A stopped process is woken for a signal that it would otherwise never handle. */
export function signalAll(stats: ProcessStat[], signal: NodeJS.Signals, wrapper: number | null): number {
  let count = 0;
  for (const stat of stats) {
    if (stat.pid === wrapper) continue;
    if (send(stat.pid, signal)) count++;
    if (stat.state === "T" && WAKING.has(signal)) send(stat.pid, "SIGCONT");
  }
  return count;
}

const WAKING: ReadonlySet<NodeJS.Signals> = new Set(["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"]);

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // The process has ended since the scan.
    return false;
  }
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
