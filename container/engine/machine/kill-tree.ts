// Ends a machine from outside, by the `unshare` that waits for its process 1.

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

/** Process 1 first: `unshare` then waits until every process is gone, so that its own exit says so. */
export function killTree(child: ChildProcess): void {
  if (!isRunning(child)) return;
  try {
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
    for (const pid of children.filter((text) => text !== "")) process.kill(Number(pid), "SIGKILL");
    if (children[0] === "") child.kill("SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

export const isRunning = (child: ChildProcess): boolean =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null;
