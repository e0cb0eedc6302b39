// Everything that a machine needs on disk before anything of it runs: its root, its own directories and its fstab.

import { chmodSync, lchownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MachineCgroup } from "../cgroup/machine-cgroup.ts";
import { readHostMounts } from "../rootfs/host-mounts.ts";
import { type MachineDirectory, machineFstab, USR_UPPER, USR_WORK } from "../rootfs/machine-mounts.ts";
import { writeMachineRoot } from "../rootfs/machine-root.ts";
import type { EngineConfig } from "./engine-config.ts";

export interface MachinePaths extends MachineDirectory {
  /** The directory that holds all the others. */
  readonly parent: string;
  readonly fstab: string;
}

/** Makes the directory itself, which is all that the machine's first process needs. It belongs to `uid` where that is given. */
export function makeMachineDirectory(parent: string, uid: number | undefined): MachinePaths {
  mkdirSync(parent, { mode: 0o700 });
  chmodSync(parent, 0o700);
  if (uid !== undefined) lchownSync(parent, uid, uid);
  return {
    ...{ parent, fstab: join(parent, "fstab"), root: join(parent, "root"), local: join(parent, "local") },
    ...{ relay: join(parent, "relay"), usr: join(parent, USR_UPPER), usrWork: join(parent, USR_WORK) },
  };
}

/** Makes everything in that directory. */
export function prepareMachine(
  config: EngineConfig,
  cgroup: MachineCgroup,
  paths: MachinePaths,
  uid: number | undefined,
): void {
  const readOnly = new Map([
    ...config.etc.directories.map((path) => [`/etc/${path}`, `/etc/${path}`] as const),
    [config.trustStore, "/etc/ssl/certs"] as const,
    ...config.tools.readOnly,
    ...cgroup.visible,
  ]);
  const { root, local, relay, usr, usrWork } = paths;
  writeMachineRoot(
    { root, local, relay, usr, usrWork },
    {
      etc: config.etc,
      mountPoints: new Map(
        [...readOnly].map(([source, at]) => [at, statSync(source).isDirectory() ? "directory" : "file"] as const),
      ),
      usrDirectories: config.usrDirectories,
      localLinks: config.tools.localLinks,
      uid,
    },
  );
  const canOverlayUsr = config.usrDirectories.length > 0;
  const sources = { directory: paths, canOverlayUsr, readOnly, writable: cgroup.commandGroups, hidden: config.hidden };
  writeFileSync(paths.fstab, machineFstab(sources, readHostMounts()));
  if (uid !== undefined) lchownSync(paths.fstab, uid, uid);
}
