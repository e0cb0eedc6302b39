// Control groups bound the memory and the processes of a whole machine and give each machine its share of the cores, where the
// kernel lets this user make them, in hierarchies of version 2 or 1. Elsewhere the limits are those of single processes (see
// spawn-machine.ts).

import { type Controller, findHierarchies } from "./cgroup-hierarchies.ts";
import {
  commandGroupFiles,
  createMachineCgroup,
  type MachineCgroup,
  type MachineCgroupOptions,
} from "./machine-cgroup.ts";
import { openHierarchy } from "./open-cgroup-hierarchy.ts";
import { removeGroup } from "./remove-cgroup.ts";

export function openCgroups(runId: string): Cgroups {
  const groups = findHierarchies().flatMap((hierarchy) => openHierarchy(hierarchy, `sandbox-mcp-${runId}`));
  const has = (controller: Controller) => groups.some((group) => group.controllers.includes(controller));
  return {
    boundsMemory: has("memory"),
    boundsProcesses: has("pids"),
    commandGroupFiles: commandGroupFiles(groups),
    create: (options) => createMachineCgroup(groups, options),
    close: () => {
      for (const group of groups) removeGroup(group.path);
    },
  };
}

export interface Cgroups {
  /** Makes the groups of one machine and writes its limits into them. */
  create(options: MachineCgroupOptions): MachineCgroup;
  /** Removes the groups of this engine; those of its machines must be closed. */
  close(): void;
  /** The files inside a machine by which a command joins the groups of commands. */
  readonly commandGroupFiles: readonly string[];
  readonly boundsMemory: boolean;
  readonly boundsProcesses: boolean;
}
