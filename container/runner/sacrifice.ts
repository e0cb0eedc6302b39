// When memory runs out, the kernel shall end a command and not the runner, which holds every other command's output.

import { writeFileSync } from "node:fs";

/** Of -1000 to 1000; what the command starts from now on inherits it. See proc_pid_oom_score_adj(5). */
const SCORE = "500";

export function sacrifice(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, SCORE);
  } catch {
    // It has ended, or the kernel does not let us: then the kernel chooses by size alone.
  }
}
