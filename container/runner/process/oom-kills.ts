// Counts how often the kernel has killed a process in this machine because memory ran out.

import { existsSync } from "node:fs";
import { readProcFile } from "../../proc/proc-file.ts";

/** Where the machine's own control group counts them: version 2, then version 1. */
export const MEMORY_EVENT_FILES = ["/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"];

export class OomKillCounter {
  readonly #file: string | undefined;

  constructor(files: readonly string[]) {
    this.#file = files.find((file) => existsSync(file));
  }

  /** Always 0 in a machine whose control group cannot be read. */
  count(): number {
    if (this.#file === undefined) return 0;
    const match = /^oom_kill (\d+)$/m.exec(readProcFile(this.#file) ?? "");
    return match === null ? 0 : Number(match[1]);
  }
}
