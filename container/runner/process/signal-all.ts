// Sends one signal to many processes.

import type { ProcessStat } from "../../proc/process-stat.ts";

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

/**
 * Signals whole process groups. The kernel reaches all members of a group at once, those included that are being forked, which
 * no list of processes does.
 */
export function signalGroups(stats: ProcessStat[], signal: NodeJS.Signals, exceptGroup: number): void {
  const groups = new Set(stats.map((stat) => stat.group));
  groups.delete(exceptGroup);
  for (const group of groups) if (group > 1) send(-group, signal);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // The process has ended since the scan.
    return false;
  }
}
