// The memory that a process holds.

import { readProcFile } from "./proc-file.ts";

/** 0 when there is no such process, or on a system without /proc. */
export function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readProcFile(`/proc/${pid}/status`) ?? "");
  return match === null ? 0 : Number(match[1]) * 1024;
}
