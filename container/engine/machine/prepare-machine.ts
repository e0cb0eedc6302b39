// Everything that a machine needs on disk before anything of it runs: its root, its own directories and its fstab.

import { chmodSync, lchownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MachineCgroup } from "../cgroup/machine-cgroup.ts";
import { readHostMounts } from "../rootfs/host-mounts.ts";
import { type MachineDirectory, machineFstab, USR_UPPER, USR_WORK } from "../rootfs/machine-mounts.ts";
import { writeMachineRoot } from "../rootfs/machine-root.ts";
import type { MachineHost } from "./engine-config.ts";

export interface MachinePaths extends MachineDirectory {
  /** What the others are in. */
  readonly parent: string;
  readonly fstab: string;
}

/** Makes the directory, which is all that the machine's first process needs. `uid` is who shall own it; undefined leaves it as it is. */
export function makeMachineDirectory(parent: string, uid: number | undefined): MachinePaths {
  mkdirSync(parent, { mode: 0o700 });
  chmodSync(parent, 0o700);
  if (uid !== undefined) lchownSync(parent, uid, uid);
  return {
    ...{ parent, fstab: join(parent, "fstab"), root: join(parent, "root"), local: join(parent, "local") },
    ...{ relay: join(parent, "relay"), usr: join(parent, USR_UPPER), usrWork: join(parent, USR_WORK) },
  };
}

/** Makes everything in it. */
export function prepareMachine(
  host: MachineHost,
  cgroup: MachineCgroup,
  own: MachinePaths,
  uid: number | undefined,
): void {
  const readOnly = new Map([
    ...host.etc.directories.map((path) => [`/etc/${path}`, `/etc/${path}`] as const),
    [host.trustStore, "/etc/ssl/certs"] as const,
    ...host.tools.readOnly,
    ...cgroup.visible,
  ]);
  const { root, local, relay, usr, usrWork } = own;
  writeMachineRoot(
    { root, local, relay, usr, usrWork },
    {
      etc: host.etc,
      mountPoints: new Map(
        [...readOnly].map(([source, at]) => [at, statSync(source).isDirectory() ? "directory" : "file"] as const),
      ),
      usrDirectories: host.usrDirectories,
      localLinks: host.tools.localLinks,
      uid,
    },
  );
  const canOverlayUsr = host.usrDirectories.length > 0;
  const sources = { directory: own, canOverlayUsr, readOnly, hidden: host.hidden };
  writeFileSync(own.fstab, machineFstab(sources, readHostMounts()));
  if (uid !== undefined) lchownSync(own.fstab, uid, uid);
}
