// The host's mounts, as far as a machine's mounts depend on them: a bind mount made in a user namespace must keep the
// flags of what it binds, and includes the mounts below it.

import { readFileSync } from "node:fs";

export interface HostMount {
  readonly path: string;
  readonly options: readonly string[];
}

export function readHostMounts(text = readFileSync("/proc/self/mountinfo", "utf8")): HostMount[] {
  return text
    .split("\n")
    .map((line) => line.split(" "))
    .flatMap(([, , , , path, options]) =>
      path === undefined || options === undefined ? [] : [{ path: unescapePath(path), options: options.split(",") }],
    );
}

/** The flags that the kernel does not let a bind of `path` drop. */
export function lockedFlags(mounts: readonly HostMount[], path: string): string[] {
  const holder = mounts.filter((mount) => isWithin(path, mount.path)).reduce(deeper, { path: "", options: [] });
  return holder.options.filter((option) => LOCKED.has(option));
}

/** Mounts strictly below `path`; a later one hides an earlier one on the same path. */
export function mountsBelow(mounts: readonly HostMount[], path: string): string[] {
  return [...new Set(mounts.map((mount) => mount.path).filter((at) => at !== path && isWithin(at, path)))];
}

export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);

const LOCKED = new Set(["nosuid", "nodev", "noexec", "noatime", "nodiratime", "relatime"]);

/** The later of two mounts on one path hides the earlier one. */
const deeper = (found: HostMount, next: HostMount): HostMount => (next.path.length >= found.path.length ? next : found);

const unescapePath = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
