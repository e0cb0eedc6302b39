// Ends everything a command started: first with a signal that it can handle, then by force (kill-all.ts).

import { limits } from "../../../src/contract/limits.ts";
import { type ProcessStat, processKey } from "../../proc/process-stat.ts";
import { type Killed, killAll } from "./kill-all.ts";
import { signalAll } from "./signal-all.ts";

export interface EndOptions {
  /** Every living process of the command. */
  scan: () => ProcessStat[];
  /** A process that ends on its own when its command does, and must not be signalled before. */
  wrapper: number | null;
  firstSignal: NodeJS.Signals;
  /** Processes that have been sent the first signal already. */
  signalled: ProcessStat[];
}

export async function endEverything(options: EndOptions): Promise<Killed> {
  const { firstSignal, wrapper, scan } = options;
  const deadline = performance.now() + (firstSignal === "SIGKILL" ? 0 : limits.killGraceMs);
  const signalled = new Set(options.signalled.map(processKey));
  for (let pause = 2; performance.now() < deadline; pause = Math.min(pause * 2, 100)) {
    const living = scanTwice(scan);
    if (living.length === 0) return { killed: 0, survivors: [] };
    const unsignalled = living.filter((stat) => !signalled.has(processKey(stat)));
    signalAll(unsignalled, firstSignal, wrapper);
    for (const stat of unsignalled) signalled.add(processKey(stat));
    await delay(Math.min(pause, Math.max(0, deadline - performance.now())));
  }
  return killAll({ scan: () => scanTwice(scan), wrapper });
}

/** A first scan misses a process that is started during it by one that ends before the scan reaches it. */
function scanTwice(scan: EndOptions["scan"]): ProcessStat[] {
  const living = scan();
  return living.length === 0 ? scan() : living;
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
