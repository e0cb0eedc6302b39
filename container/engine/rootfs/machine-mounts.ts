// The fstab of a machine: everything that `mount --all` mounts over the directories that machine-root.ts made, in order.
// Nothing of the host is writable through it but the files by which commands join their control groups, and what is not named
// here does not exist in the machine.

import { existsSync, lstatSync } from "node:fs";
import { type HostMount, isWithin, lockedFlags, mountsBelow } from "./host-mounts.ts";

/** Where a machine's own files are on the host. */
export interface MachineDirectory {
  /** Becomes `/`. */
  readonly root: string;
  /** Becomes `/usr/local`. */
  readonly local: string;
  /** The upper layer of `/usr`: what differs there from the host's. */
  readonly usr: string;
  /** The work directory of that overlay; the kernel makes a directory in it that even its owner cannot enter. */
  readonly usrWork: string;
  /** Becomes `/run/sandbox`, where the relay listens. Outside the root, so that a machine can replace no part of its path. */
  readonly relay: string;
}

export interface MountSources {
  readonly directory: MachineDirectory;
  /** Whether overlays work here (see probe-usr-overlay.ts). */
  readonly canOverlayUsr: boolean;
  /** Read-only files and directories: host path to path inside. */
  readonly readOnly: ReadonlyMap<string, string>;
  /** Directories that only this machine has, beside its own: host path to path inside. */
  readonly writable: ReadonlyMap<string, string>;
  /** Files in the read-only directories that the machine may write to: host path to path inside. */
  readonly writableFiles: ReadonlyMap<string, string>;
  /** Host paths that must not be visible even where they are below a visible directory, such as the project itself. */
  readonly hidden: readonly string[];
  /** Whether the names of keys of the host's user are hidden. The kernel allows no other /proc in a machine then. */
  readonly hidesKernelKeys: boolean;
}

export function machineFstab(sources: MountSources, hostMounts: readonly HostMount[]): string {
  const { root, local, relay } = sources.directory;
  const lines = [line(root, root, "none", ["bind", "nosuid", "nodev", ...lockedFlags(hostMounts, root)])];
  for (const directory of SYSTEM_DIRECTORIES) {
    if (!existsSync(directory) || lstatSync(directory).isSymbolicLink()) continue;
    // An overlay would leave out what is mounted below the host's /usr and show what such a mount hides: the kernel refuses it.
    const isOverlay = directory === "/usr" && sources.canOverlayUsr && mountsBelow(hostMounts, directory).length === 0;
    lines.push(...(isOverlay ? [usrOverlay(root)] : readOnlyTree(root, directory, directory, hostMounts)));
  }
  for (const [source, at] of [[local, "/usr/local"] as const, ...sources.writable])
    lines.push(line(source, root + at, "none", ["bind", "nosuid", "nodev", ...lockedFlags(hostMounts, source)]));
  for (const path of sources.hidden) {
    // The host's /usr/local is not visible at all.
    if (SYSTEM_DIRECTORIES.some((directory) => isWithin(path, directory)) && !isWithin(path, "/usr/local"))
      lines.push(line("tmpfs", root + path, "tmpfs", ["size=4k", "mode=755", "nosuid", "nodev"]));
  }
  for (const [source, at] of sources.readOnly) lines.push(...readOnlyTree(root, source, at, hostMounts));
  for (const [source, at] of sources.writableFiles)
    lines.push(
      line(source, root + at, "none", ["bind", "nosuid", "nodev", "noexec", ...lockedFlags(hostMounts, source)]),
    );
  for (const device of DEVICES) lines.push(line(`/dev/${device}`, `${root}/dev/${device}`, "none", ["bind"]));
  lines.push(
    line("devpts", `${root}/dev/pts`, "devpts", ["newinstance", "ptmxmode=0666", "mode=620", "nosuid", "noexec"]),
    line("tmpfs", `${root}/dev/shm`, "tmpfs", ["mode=1777", "size=256m", "nosuid", "nodev"]),
    line(relay, `${root}/run/sandbox`, "none", ["bind", "nosuid", "nodev", ...lockedFlags(hostMounts, relay)]),
    line("proc", `${root}/proc`, "proc", ["nosuid", "nodev", "noexec"]),
  );
  if (sources.hidesKernelKeys)
    for (const file of ["keys", "key-users"]) lines.push(line("/dev/null", `${root}/proc/${file}`, "none", ["bind"]));
  return `${lines.join("\n")}\n`;
}

/**
 * `userxattr`: root of a machine is an ordinary user, who may set attributes of these names only. `volatile`: otherwise the end
 * of a machine would flush the whole file system that holds the upper layer, which is about to be removed. The layers' paths are
 * relative to the machine's directory, in which `mount` must run, because not every path can stand in the options of an fstab.
 */
export const usrOverlay = (root: string): string =>
  line("overlay", `${root}/usr`, "overlay", [
    ...["lowerdir=/usr", `upperdir=${USR_UPPER}`, `workdir=${USR_WORK}`, "userxattr", "volatile", "nosuid", "nodev"],
  ]);

/** Names in the directory of a machine. */
export const USR_UPPER = "usr";
export const USR_WORK = "usr-work";

/** Where the host's programs and libraries are. machine-root.ts makes the symbolic links among them again. */
export const SYSTEM_DIRECTORIES = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"];

export const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

function readOnlyTree(root: string, source: string, at: string, hostMounts: readonly HostMount[]): string[] {
  const below = mountsBelow(hostMounts, source);
  const flags = (path: string) => ["ro", "nosuid", "nodev", ...lockedFlags(hostMounts, path)];
  return [
    line(source, root + at, "none", [below.length === 0 ? "bind" : "rbind", ...flags(source)]),
    ...below.map((path) =>
      line("none", root + at + path.slice(source.length), "none", ["remount", "bind", ...flags(path)]),
    ),
  ];
}

const line = (source: string, at: string, type: string, options: readonly string[]): string =>
  `${escapePath(source)} ${escapePath(at)} ${type} ${[...new Set(options)].join(",")} 0 0`;

const escapePath = (path: string): string =>
  path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
