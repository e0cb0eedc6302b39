// Kills everything that scans find, until they find nothing, also what forks faster than it can be scanned: such processes are
// stopped first, until a scan finds no new ones.

import { type ProcessStat, processKey, readStat } from "../../proc/process-stat.ts";
import { signalAll, signalGroups } from "./signal-all.ts";

interface KillOptions {
  scan: () => ProcessStat[];
  /** See EndOptions. */
  wrapper: number | null;
}

/** SIGKILL takes effect when the kernel gets to it, which takes longest where hundreds of processes compete for the cores. */
const KILL_MAX_MS = 10_000;
/** A process that waits inside the kernel for this long, with SIGKILL sent, is not waited for. */
const STUCK_MS = 2_000;
/** A command whose processes still multiply after this many rounds forks faster than they take. */
const PLAIN_ROUNDS = 2;
/** Stopping hundreds of processes takes a few rounds. What goes on after that is as likely to be hit by SIGKILL. */
const STOP_ROUNDS_MAX = 20;
/** A wrapper ends on its own unless it is stuck. */
const WRAPPER_ROUNDS = 3;

export interface Killed {
  /** How many processes were sent SIGKILL. */
  killed: number;
  /** What is still alive when the time is over: nothing, except where the kernel itself keeps a process. */
  survivors: ProcessStat[];
}

export async function killAll({ scan, wrapper }: KillOptions): Promise<Killed> {
  const deadline = performance.now() + KILL_MAX_MS;
  const runnerGroup = readStat("self")?.group ?? 0;
  const killed = new Set<string>();
  let living = scan();
  let movedAt = performance.now();
  for (let round = 0; living.length > 0 && performance.now() < deadline; round++) {
    if (!living.every((stat) => stat.state === "D" && killed.has(processKey(stat)))) movedAt = performance.now();
    if (performance.now() - movedAt > STUCK_MS) break;
    const spared = round < WRAPPER_ROUNDS ? wrapper : null;
    const isMultiplying =
      round >= PLAIN_ROUNDS && living.some((stat) => stat.pid !== wrapper && !killed.has(processKey(stat)));
    if (isMultiplying) living = stopAll(living, scan, { wrapper, runnerGroup });
    const targets = living.filter(({ pid }) => pid !== spared);
    signalGroups(targets, "SIGKILL", runnerGroup);
    signalAll(targets, "SIGKILL", spared);
    for (const stat of targets) killed.add(processKey(stat));
    await delay(Math.min(round, 100));
    living = scan();
  }
  return { killed: killed.size, survivors: living };
}

/**
 * A stopped process forks no more, and keeps its place among the processes that a machine may have. So each round leaves less
 * room for new ones, whereas each that is killed makes room for one. Returns what is alive.
 */
function stopAll(
  living: ProcessStat[],
  scan: KillOptions["scan"],
  { wrapper, runnerGroup }: { wrapper: number | null; runnerGroup: number },
): ProcessStat[] {
  const stopped = new Set<string>();
  let found = living;
  for (let round = 0; round < STOP_ROUNDS_MAX; round++) {
    const running = found.filter((stat) => stat.pid !== wrapper && !isStopped(stat));
    signalGroups(running, "SIGSTOP", runnerGroup);
    signalAll(running, "SIGSTOP", wrapper);
    for (const stat of found) stopped.add(processKey(stat));
    found = scan();
    if (found.every((stat) => stopped.has(processKey(stat)) && (isStopped(stat) || stat.pid === wrapper))) break;
  }
  return found;
}

/** By a signal or by a tracer. */
const isStopped = ({ state }: ProcessStat): boolean => state === "T" || state === "t";

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
