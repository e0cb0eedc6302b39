// Ends everything a command started: a signal it can answer first, then KILL to whatever is left, until a look finds
// nothing any more.

import { limits } from "../../../src/contract/limits.ts";
import type { ProcessStat } from "../../proc/process-stat.ts";

export interface Ending {
  /** All that lives of the command now. */
  look: () => ProcessStat[];
  /** Ends by itself when its command does, and must not be hit before. */
  wrapper: number | null;
  first: NodeJS.Signals;
  /** Those that have had the first signal. */
  asked: ProcessStat[];
}

/** KILL takes effect when the kernel gets to it: this many looks, with a pause that grows to 100 ms, take 10 s. */
const LOOKS_MAX = 110;

/** Resolves when nothing is left, or when what is left cannot be killed. */
export async function endEverything(ending: Ending): Promise<void> {
  const deadline = performance.now() + limits.killGraceMs;
  const asked = new Set(ending.asked.map(nameOf));
  for (let pause = 2; performance.now() < deadline; pause = Math.min(pause * 2, 100)) {
    const left = lookWell(ending);
    if (left.length === 0) return;
    const fresh = left.filter((stat) => !asked.has(nameOf(stat)));
    signalAll(fresh, ending.first, ending.wrapper);
    for (const stat of fresh) asked.add(nameOf(stat));
    await delay(Math.min(pause, Math.max(0, deadline - performance.now())));
  }
  for (let round = 0; round < LOOKS_MAX; round++) {
    const left = lookWell(ending);
    if (left.length === 0) return;
    signalAll(left, "SIGKILL", round < 3 ? ending.wrapper : null);
    await delay(Math.min(round, 100));
  }
}

/** What was started while a look was under way, by one that ended before it was looked at, only a second look sees. */
function lookWell({ look }: Ending): ProcessStat[] {
  const left = look();
  return left.length === 0 ? look() : left;
}

const nameOf = (stat: ProcessStat): string => `${stat.pid}:${stat.startTime}`;

/** How many took the signal. A stopped process is woken for one it would otherwise never see. */
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
    // It went in between.
    return false;
  }
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
