// The hierarchies of control groups that are mounted here, of version 2 or 1, and the groups that this process is in.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Controller = "memory" | "pids" | "cpu";

export const CONTROLLERS: readonly Controller[] = ["memory", "pids", "cpu"];

export interface Hierarchy {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  /** Groups below which the engine may be able to make its own: that of this process, then those above it. */
  readonly candidates: readonly string[];
}

export function findHierarchies(): Hierarchy[] {
  const own = readLines("/proc/self/cgroup").map((line) => line.split(":"));
  return readLines("/proc/self/mountinfo").flatMap((line): Hierarchy[] => {
    const [before, after] = line.split(" - ");
    const [, , , mountRoot, mountPoint] = before?.split(" ") ?? [];
    const [type, , superOptions] = after?.split(" ") ?? [];
    if (mountRoot === undefined || mountPoint === undefined || superOptions === undefined) return [];
    const controllers = CONTROLLERS.filter((name) => superOptions.split(",").includes(name));
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
        controllers: version === 2 ? CONTROLLERS : controllers,
        candidates: upwards(mountPoint, below),
      },
    ];
  });
}

/** `/a/b` below the mount point, then `/a`, then the mount point itself. In the nearest one, this process's own limits hold. */
function upwards(mountPoint: string, path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== "..");
  return Array.from({ length: parts.length + 1 }, (_, dropped) =>
    join(mountPoint, ...parts.slice(0, parts.length - dropped)),
  );
}

const readLines = (path: string): string[] => (existsSync(path) ? readFileSync(path, "utf8").split("\n") : []);
