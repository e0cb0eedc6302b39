// Control groups, where the kernel lets this user make them: one group for a machine's memory and processes, in
// version 2 or version 1 hierarchies. Without one the limits are those of single processes (see spawn-machine.ts).

import type { MachineLimits } from "../limits.ts";
import { type Controller, findHierarchies } from "./cgroup-hierarchies.ts";
import { createMachineGroup, type MachineCgroup } from "./machine-cgroup.ts";
import { openHierarchy } from "./open-cgroup-hierarchy.ts";
import { removeGroup } from "./remove-cgroup.ts";

export function openCgroups(runId: string): Cgroups {
  const groups = findHierarchies().flatMap((hierarchy) => openHierarchy(hierarchy, `sandbox-mcp-${runId}`));
  const has = (controller: Controller) => groups.some((group) => group.controllers.includes(controller));
  return {
    boundsMemory: has("memory"),
    boundsProcesses: has("pids"),
    create: (name, limits) => createMachineGroup(groups, name, limits),
    close: () => {
      for (const group of groups) removeGroup(group.path);
    },
  };
}

export interface Cgroups {
  /** Makes the groups of one machine; the files to write a process id to, and what to show inside. */
  create(name: string, limits: MachineLimits): MachineCgroup;
  /** Removes the directory of this engine, once every machine's group is closed. */
  close(): void;
  readonly boundsMemory: boolean;
  readonly boundsProcesses: boolean;
}
