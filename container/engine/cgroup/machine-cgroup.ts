// The control groups of one machine, one in each hierarchy, with its limits written into them.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MachineLimits } from "../limits.ts";
import { type EngineCgroup, LIMIT_FILE, tryWrite } from "./open-cgroup-hierarchy.ts";
import { removeWhenEmpty } from "./remove-cgroup.ts";

export interface MachineCgroup {
  /** The directories of the groups that the machine's processes join. */
  readonly directories: readonly string[];
  /** The groups to bind into the machine, which can count its memory there: host path to path inside. */
  readonly visible: ReadonlyMap<string, string>;
  /** Removes the groups. The machine's processes must have ended or be about to. */
  close(): Promise<void>;
}

export function createMachineCgroup(
  groups: readonly EngineCgroup[],
  name: string,
  limits: MachineLimits,
): MachineCgroup {
  const directories = groups.map((group) => join(group.path, name));
  const visible = new Map<string, string>();
  for (const group of groups) {
    const path = join(group.path, name);
    mkdirSync(path);
    if (group.controllers.includes("pids")) writeFileSync(join(path, "pids.max"), String(limits.processes));
    if (!group.controllers.includes("memory")) continue;
    writeFileSync(join(path, LIMIT_FILE[group.version].memory), String(limits.memoryBytes));
    // Swapping would only delay the end. The file is absent where swap is not accounted.
    if (group.version === 1) tryWrite(join(path, "memory.memsw.limit_in_bytes"), String(limits.memoryBytes));
    else tryWrite(join(path, "memory.swap.max"), "0");
    visible.set(path, group.version === 1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup");
  }
  return { directories, visible, close: async () => void (await Promise.all(directories.map(removeWhenEmpty))) };
}
