// Everything that a machine needs on disk before anything of it runs: its root, its own directories and its fstab.

import { chmodSync, lchownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readHostMounts } from "./host-mounts.ts";
import type { MachineCgroup } from "./machine-cgroup.ts";
import type { MachineHost } from "./machine-host.ts";
import { type MachineDirectory, machineFstab, USR_UPPER, USR_WORK } from "./machine-mounts.ts";
import { writeMachineRoot } from "./machine-root.ts";

export interface PreparedMachine extends MachineDirectory {
  /** What the others are in. */
  readonly parent: string;
  readonly fstab: string;
}

/** `uid` is who shall own it all; undefined leaves it to the user who runs the engine. */
export function prepareMachine(
  host: MachineHost,
  cgroup: MachineCgroup,
  directory: string,
  uid: number | undefined,
): PreparedMachine {
  const own = {
    ...{ root: join(directory, "root"), local: join(directory, "local"), relay: join(directory, "relay") },
    ...{ usr: join(directory, USR_UPPER), usrWork: join(directory, USR_WORK) },
  };
  mkdirSync(directory, { mode: 0o700 });
  const readOnly = new Map([
    ...host.etc.directories.map((path) => [`/etc/${path}`, `/etc/${path}`] as const),
    [host.trustStore, "/etc/ssl/certs"] as const,
    ...host.tools.readOnly,
    ...cgroup.visible,
  ]);
  writeMachineRoot(own, {
    etc: host.etc,
    mountPoints: new Map(
      [...readOnly].map(([source, at]) => [at, statSync(source).isDirectory() ? "directory" : "file"] as const),
    ),
    usrDirectories: host.usrDirectories,
    localLinks: host.tools.localLinks,
    uid,
  });
  const fstab = join(directory, "fstab");
  const canOverlayUsr = host.usrDirectories.length > 0;
  const sources = { directory: own, canOverlayUsr, readOnly, hidden: host.hidden };
  writeFileSync(fstab, machineFstab(sources, readHostMounts()));
  if (uid !== undefined) {
    for (const path of [fstab, directory]) lchownSync(path, uid, uid);
  }
  chmodSync(directory, 0o700);
  return { ...own, parent: directory, fstab };
}
