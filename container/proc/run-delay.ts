// How long a process has waited for a processor, from /proc/<pid>/schedstat.

import { readProcFile } from "./proc-file.ts";

/** Of the main thread, since it started, in milliseconds; 0 when there is no such process, or on a kernel that does not count it. */
export function runDelayMs(pid: number | "self"): number {
  const [, waitedNs] = readProcFile(`/proc/${pid}/schedstat`)?.split(" ") ?? [];
  return Number(waitedNs ?? 0) / 1e6;
}
