// Control groups, where the kernel lets this user make them: one group for a machine's memory and processes, in
// version 2 or version 1 hierarchies. Without one the limits are those of single processes (see machine.ts).

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { MachineLimits } from "./limits.ts";
import { isRunAlive } from "./state-dir.ts";

export interface Cgroups {
  /** Makes the groups of one machine; the files to write a process id to, and what to show inside. */
  create(name: string, limits: MachineLimits): MachineCgroup;
  /** Removes the directory of this engine, once every machine's group is closed. */
  close(): void;
  readonly boundsMemory: boolean;
  readonly boundsProcesses: boolean;
}

export interface MachineCgroup {
  readonly directories: readonly string[];
  /** Host path to path inside, for the counters of memory. */
  readonly visible: ReadonlyMap<string, string>;
  /** Resolves when the groups are gone; the machine's processes must be dead or dying. */
  close(): Promise<void>;
}

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

type Controller = "memory" | "pids";

interface Hierarchy {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  /** The group that this process is in, and below which it may hope to make others; nearest first. */
  readonly candidates: readonly string[];
}

interface Group {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  readonly path: string;
}

function findHierarchies(): Hierarchy[] {
  const own = readLines("/proc/self/cgroup").map((line) => line.split(":"));
  return readLines("/proc/self/mountinfo").flatMap((line): Hierarchy[] => {
    const [before, after] = line.split(" - ");
    const [, , , mountRoot, mountPoint] = before?.split(" ") ?? [];
    const [type, , superOptions] = after?.split(" ") ?? [];
    if (mountRoot === undefined || mountPoint === undefined || superOptions === undefined) return [];
    const controllers = (["memory", "pids"] as const).filter((name) => superOptions.split(",").includes(name));
    const version = type === "cgroup2" ? 2 : 1;
    if (version === 1 && (type !== "cgroup" || controllers.length === 0)) return [];
    const path = own.find(([id, names]) =>
      version === 2 ? id === "0" : controllers.some((name) => names?.split(",").includes(name)),
    )?.[2];
    if (path === undefined) return [];
    const below = path.startsWith(mountRoot) ? path.slice(mountRoot === "/" ? 0 : mountRoot.length) : "/";
    return [
      {
        version,
        controllers: version === 2 ? ["memory", "pids"] : controllers,
        candidates: upwards(mountPoint, below),
      },
    ];
  });
}

/** `/a/b` below the mount point, then `/a`, then the mount point itself: the nearest keeps the limits we are under. */
function upwards(mountPoint: string, path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== "..");
  return Array.from({ length: parts.length + 1 }, (_, dropped) =>
    join(mountPoint, ...parts.slice(0, parts.length - dropped)),
  );
}

function openHierarchy(hierarchy: Hierarchy, name: string): Group[] {
  for (const parent of hierarchy.candidates) {
    removeLeftovers(parent);
    const path = join(parent, name);
    try {
      if (hierarchy.version === 2) tryWrite(join(parent, "cgroup.subtree_control"), "+memory +pids");
      mkdirSync(path);
      if (hierarchy.version === 2) tryWrite(join(path, "cgroup.subtree_control"), "+memory +pids");
      const probe = join(path, "probe");
      mkdirSync(probe);
      const controllers = hierarchy.controllers.filter((controller) =>
        existsSync(join(probe, LIMIT_FILE[hierarchy.version][controller])),
      );
      // Moving a process may be refused even where making a group is allowed.
      const moved =
        spawnSync("sh", ["-c", 'echo 0 > "$1/cgroup.procs"', "sh", probe], { stdio: "ignore" }).status === 0;
      rmdirSync(probe);
      if (moved && controllers.length > 0) return [{ version: hierarchy.version, controllers, path }];
      removeGroup(path);
    } catch {
      removeGroup(path);
    }
  }
  return [];
}

const LIMIT_FILE = {
  1: { memory: "memory.limit_in_bytes", pids: "pids.max" },
  2: { memory: "memory.max", pids: "pids.max" },
} as const;

function createMachineGroup(groups: readonly Group[], name: string, limits: MachineLimits): MachineCgroup {
  const directories = groups.map((group) => join(group.path, name));
  const visible = new Map<string, string>();
  for (const group of groups) {
    const path = join(group.path, name);
    mkdirSync(path);
    if (group.controllers.includes("pids")) writeFileSync(join(path, "pids.max"), String(limits.processes));
    if (!group.controllers.includes("memory")) continue;
    writeFileSync(join(path, LIMIT_FILE[group.version].memory), String(limits.memoryBytes));
    // Swap would only delay the end; absent where swap is not accounted.
    if (group.version === 1) tryWrite(join(path, "memory.memsw.limit_in_bytes"), String(limits.memoryBytes));
    else tryWrite(join(path, "memory.swap.max"), "0");
    visible.set(path, group.version === 1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup");
  }
  return { directories, visible, close: async () => void (await Promise.all(directories.map(removeWhenEmpty))) };
}

/** A group can be removed once its last process is reaped. */
async function removeWhenEmpty(path: string): Promise<void> {
  for (let tries = 0; tries < 200 && existsSync(path); tries += 1) {
    removeGroup(path);
    if (existsSync(path)) await delay(10);
  }
}

function removeLeftovers(parent: string): void {
  for (const name of listDirectory(parent)) {
    if (name.startsWith("sandbox-mcp-run-") && !isRunAlive(name.slice("sandbox-mcp-".length)))
      removeGroup(join(parent, name));
  }
}

function removeGroup(path: string): void {
  try {
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) removeGroup(join(path, entry.name));
    rmdirSync(path);
  } catch {
    // Absent, or a process in it is still dying: tried again by whoever waits for it, or by the next engine.
  }
}

function tryWrite(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch {
    // Refused or absent: what is then missing shows in the files that exist.
  }
}

function listDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

const readLines = (path: string): string[] => (existsSync(path) ? readFileSync(path, "utf8").split("\n") : []);
