// Makes the group of one engine in a hierarchy, as near to the group that we are in as the kernel lets this user.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunAlive } from "../state-dir.ts";
import type { Controller, Hierarchy } from "./cgroup-hierarchies.ts";
import { removeGroup } from "./remove-cgroup.ts";

export interface Group {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  readonly path: string;
}

/** Empty where no group can be made or no controller is to be had. */
export function openHierarchy(hierarchy: Hierarchy, name: string): Group[] {
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

export const LIMIT_FILE = {
  1: { memory: "memory.limit_in_bytes", pids: "pids.max" },
  2: { memory: "memory.max", pids: "pids.max" },
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
    // Refused or absent: what is then missing shows in the files that exist.
  }
}
