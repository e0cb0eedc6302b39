// The control groups of one machine, one in each hierarchy, with its limits written into them. In a hierarchy of version 1 its
// commands have a group of their own below that, with lower limits: what is left is the runner's. In one of version 2 a process
// that changes its group makes all others wait for milliseconds, which is too much for each command.

import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLimits, type MachineLimits } from "../limits.ts";
import { type EngineCgroup, LIMIT_FILE, tryWrite } from "./open-cgroup-hierarchy.ts";
import { removeWhenEmpty } from "./remove-cgroup.ts";

export interface MachineCgroup {
  /** The directories of the groups that the machine's processes join. */
  readonly directories: readonly string[];
  /** The groups to bind into the machine, read-only, for programs that look for their limits: host path to path inside. */
  readonly visible: ReadonlyMap<string, string>;
  /** The files of those by which a command joins its groups, to be bound writable: host path to path inside. */
  readonly commandGroups: ReadonlyMap<string, string>;
  /** Removes the groups. The machine's processes must have ended or be about to. */
  close(): Promise<void>;
}

export interface MachineCgroupOptions {
  readonly name: string;
  readonly limits: MachineLimits;
  /** The user of the host that the machine runs as. */
  readonly uid: number;
}

export function createMachineCgroup(groups: readonly EngineCgroup[], options: MachineCgroupOptions): MachineCgroup {
  const { name, limits, uid } = options;
  const visible = new Map<string, string>();
  const commandGroups = new Map<string, string>();
  for (const group of groups) {
    const path = join(group.path, name);
    makeGroup(group, path, limits);
    if (group.version === 2) {
      if (group.controllers.includes("memory")) visible.set(path, "/sys/fs/cgroup");
      continue;
    }
    const commands = join(path, "commands");
    makeGroup(group, commands, commandLimits(limits));
    // A thread moves itself by this file of version 1, which makes nothing else wait.
    chownSync(join(commands, "tasks"), uid, -1);
    visible.set(commands, commandGroup(group));
    commandGroups.set(join(commands, "tasks"), commandGroupFile(group));
  }
  const directories = groups.map((group) => join(group.path, name));
  return {
    ...{ directories, visible, commandGroups },
    close: async () => void (await Promise.all(directories.map(removeWhenEmpty))),
  };
}

/** The files inside by which a command of any machine joins its groups. */
export const commandGroupFiles = (groups: readonly EngineCgroup[]): string[] =>
  groups.filter(({ version }) => version === 1).map(commandGroupFile);

const commandGroupFile = (group: EngineCgroup): string => `${commandGroup(group)}/tasks`;

const commandGroup = ({ controllers: [first] }: EngineCgroup): string => `/sys/fs/cgroup/${first}`;

type GroupLimits = Pick<MachineLimits, "memoryBytes" | "processes">;

function makeGroup({ version, controllers }: EngineCgroup, path: string, limits: GroupLimits): void {
  mkdirSync(path);
  if (controllers.includes("pids")) writeFileSync(join(path, LIMIT_FILE[version].pids), String(limits.processes));
  if (!controllers.includes("memory")) return;
  // Kernels before 5.11 do not count what groups below this one use otherwise.
  if (version === 1) tryWrite(join(path, "memory.use_hierarchy"), "1");
  writeFileSync(join(path, LIMIT_FILE[version].memory), String(limits.memoryBytes));
  // Swapping would only delay the end. The file is absent where swap is not accounted.
  if (version === 1) tryWrite(join(path, "memory.memsw.limit_in_bytes"), String(limits.memoryBytes));
  else tryWrite(join(path, "memory.swap.max"), "0");
}
