// The fstab of a machine: everything that `mount --all` puts over the directories that machine-root.ts made, in order.
// Nothing of the host is writable through it, and what is not named here does not exist inside.

import { existsSync, lstatSync } from "node:fs";
import { type HostMount, isWithin, lockedFlags, mountsBelow } from "./host-mounts.ts";

/** Where a machine's own files are on the host. */
export interface MachineDirectory {
  /** Becomes `/`. */
  readonly root: string;
  /** Becomes `/usr/local`. */
  readonly local: string;
  /** The upper layer of `/usr`, with what differs there from the host's. */
  readonly usr: string;
  /** What the kernel needs beside an upper layer; it makes a directory in it that nobody may enter. */
  readonly usrWork: string;
  /** Becomes `/run/sandbox`, where the relay listens; not part of the root so that no part of its path can be replaced. */
  readonly relay: string;
}

export interface MountSources {
  readonly directory: MachineDirectory;
  /** Whether overlays work here (see probe-usr-overlay.ts). */
  readonly canOverlayUsr: boolean;
  /** Read-only files and directories: host path to path inside. */
  readonly readOnly: ReadonlyMap<string, string>;
  /** Host paths below a visible directory that must not be seen, such as the project itself. */
  readonly hidden: readonly string[];
}

export function machineFstab(sources: MountSources, hostMounts: readonly HostMount[]): string {
  const { root, local, relay } = sources.directory;
  const lines = [line(root, root, "none", ["bind", "nosuid", "nodev", ...lockedFlags(hostMounts, root)])];
  for (const directory of SYSTEM_DIRECTORIES) {
    if (!existsSync(directory) || lstatSync(directory).isSymbolicLink()) continue;
    // What is mounted below the host's /usr would not be in an overlay, and what such a mount hides would: the kernel refuses.
    const isOverlay = directory === "/usr" && sources.canOverlayUsr && mountsBelow(hostMounts, directory).length === 0;
    lines.push(...(isOverlay ? [usrOverlay(root)] : readOnlyTree(root, directory, directory, hostMounts)));
  }
  lines.push(line(local, `${root}/usr/local`, "none", ["bind", "nosuid", "nodev", ...lockedFlags(hostMounts, local)]));
  for (const path of sources.hidden) {
    // The host's /usr/local is not seen at all.
    if (SYSTEM_DIRECTORIES.some((directory) => isWithin(path, directory)) && !isWithin(path, "/usr/local"))
      lines.push(line("tmpfs", root + path, "tmpfs", ["size=4k", "mode=755", "nosuid", "nodev"]));
  }
  for (const [source, at] of sources.readOnly) lines.push(...readOnlyTree(root, source, at, hostMounts));
  for (const device of DEVICES) lines.push(line(`/dev/${device}`, `${root}/dev/${device}`, "none", ["bind"]));
  lines.push(
    line("devpts", `${root}/dev/pts`, "devpts", ["newinstance", "ptmxmode=0666", "mode=620", "nosuid", "noexec"]),
    line("tmpfs", `${root}/dev/shm`, "tmpfs", ["mode=1777", "size=256m", "nosuid", "nodev"]),
    line(relay, `${root}/run/sandbox`, "none", ["bind", "nosuid", "nodev", ...lockedFlags(hostMounts, relay)]),
    line("proc", `${root}/proc`, "proc", ["nosuid", "nodev", "noexec"]),
  );
  return `${lines.join("\n")}\n`;
}

/**
 * Attributes with names that a user may set (`userxattr`), because root inside is one. `volatile`: otherwise the end of a machine
 * would write out the whole file system that holds the upper layer, which nobody needs any more. The layers are named from the
 * machine's directory, in which `mount` must run: options of an fstab cannot hold every path.
 */
export const usrOverlay = (root: string): string =>
  line("overlay", `${root}/usr`, "overlay", [
    ...["lowerdir=/usr", `upperdir=${USR_UPPER}`, `workdir=${USR_WORK}`, "userxattr", "volatile", "nosuid", "nodev"],
  ]);

/** Names in a machine's directory. */
export const USR_UPPER = "usr";
export const USR_WORK = "usr-work";

/** What makes a system: programs and libraries. Symbolic links among them are made again by machine-root.ts. */
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
