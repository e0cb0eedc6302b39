// Makes the group of an engine in a hierarchy, as near to the group of this process as the kernel lets this user.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunAlive } from "../state-dir.ts";
import { CONTROLLERS, type Controller, type Hierarchy } from "./cgroup-hierarchies.ts";
import { joinCgroups } from "./join-cgroups.ts";
import { removeGroup } from "./remove-cgroup.ts";

export interface EngineCgroup {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  readonly path: string;
}

/** Empty where no group can be made or none has a controller. */
export function openHierarchy(hierarchy: Hierarchy, name: string): EngineCgroup[] {
  for (const parent of hierarchy.candidates) {
    removeLeftovers(parent);
    const path = join(parent, name);
    try {
      if (hierarchy.version === 2) passOnControllers(parent);
      mkdirSync(path);
      if (hierarchy.version === 2) passOnControllers(path);
      const probe = join(path, "probe");
      mkdirSync(probe);
      const controllers = hierarchy.controllers.filter((controller) =>
        existsSync(join(probe, LIMIT_FILE[hierarchy.version][controller])),
      );
      // Moving a process may be refused even where making a group is allowed.
      const canJoin = canRunIn(probe);
      rmdirSync(probe);
      if (canJoin && controllers.length > 0) return [{ version: hierarchy.version, controllers, path }];
      removeGroup(path);
    } catch {
      removeGroup(path);
    }
  }
  return [];
}

/** One by one, because a controller that is missing makes the kernel refuse all of them. */
function passOnControllers(path: string): void {
  for (const controller of CONTROLLERS) tryWrite(join(path, "cgroup.subtree_control"), `+${controller}`);
}

function canRunIn(cgroup: string): boolean {
  const [program = "", ...rest] = [...joinCgroups([cgroup]), "true"];
  return spawnSync(program, rest, { stdio: "ignore" }).status === 0;
}

export const LIMIT_FILE = {
  1: { memory: "memory.limit_in_bytes", pids: "pids.max", cpu: "cpu.shares" },
  2: { memory: "memory.max", pids: "pids.max", cpu: "cpu.weight" },
} as const;

function removeLeftovers(parent: string): void {
  for (const name of listDirectory(parent)) {
    if (name.startsWith("sandbox-mcp-run-") && !isRunAlive(name.slice("sandbox-mcp-".length)))
      removeGroup(join(parent, name));
  }
}

function listDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

export function tryWrite(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch {
    // Refused or absent. Which controllers there are shows in the files that exist.
  }
}
