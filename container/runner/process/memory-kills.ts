// How often the kernel has killed something in this machine for want of memory, in the kernel's own count.

import { existsSync } from "node:fs";
import { readProcFile } from "../../proc/proc-file.ts";

/** The machine's own control group, version 2 and version 1. */
export const MEMORY_EVENT_FILES = ["/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"];

export class MemoryKills {
  readonly #file: string | undefined;

  constructor(files: readonly string[]) {
    this.#file = files.find((file) => existsSync(file));
  }

  /** 0 for ever where there is no control group to ask. */
  count(): number {
    if (this.#file === undefined) return 0;
    const match = /^oom_kill (\d+)$/m.exec(readProcFile(this.#file) ?? "");
    return match === null ? 0 : Number(match[1]);
  }
}
