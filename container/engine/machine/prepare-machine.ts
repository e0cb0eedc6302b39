// Everything that a machine needs on disk before anything of it runs: its root, its own directories and its fstab.

import { chmodSync, lchownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MachineCgroup } from "../cgroup/machine-cgroup.ts";
import { readHostMounts } from "../rootfs/host-mounts.ts";
import { type MachineDirectory, machineFstab, USR_UPPER, USR_WORK } from "../rootfs/machine-mounts.ts";
import { writeMachineRoot } from "../rootfs/machine-root.ts";
import type { EngineConfig } from "./engine-config.ts";

/** The runner's directories, in the machine. */
const LOG_DIRECTORY = "/var/log/sandbox";
export const ARCHIVE_DIRECTORY = "/var/lib/sandbox-archives";

export interface MachinePaths extends MachineDirectory {
  /** The directory that holds all the others. */
  readonly parent: string;
  readonly fstab: string;
  /** Host directories that the machine writes in, outside its own: host path to path inside. */
  readonly runner: ReadonlyMap<string, string>;
}

/**
 * Makes the directory itself, which is all that the machine's first process needs. It belongs to `uid` where that is given.
 * `runnerDirectory` is where the runner has a disk of its own.
 */
export function makeMachineDirectory(
  parent: string,
  runnerDirectory: string | undefined,
  uid: number | undefined,
): MachinePaths {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  chmodSync(parent, 0o700);
  if (uid !== undefined) lchownSync(parent, uid, uid);
  return {
    ...{ parent, fstab: join(parent, "fstab"), root: join(parent, "root"), local: join(parent, "local") },
    ...{ relay: join(parent, "relay"), usr: join(parent, USR_UPPER), usrWork: join(parent, USR_WORK) },
    runner: new Map(
      runnerDirectory === undefined
        ? []
        : [
            [join(runnerDirectory, "log"), LOG_DIRECTORY],
            [join(runnerDirectory, "archives"), ARCHIVE_DIRECTORY],
          ],
    ),
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
  const { root, local, relay, usr, usrWork, runner } = paths;
  for (const path of runner.keys()) makeOwnedDirectory(path, uid);
  writeMachineRoot(
    { root, local, relay, usr, usrWork },
    {
      etc: config.etc,
      mountPoints: new Map(
        [...readOnly, ...runner].map(
          ([source, at]) => [at, statSync(source).isDirectory() ? "directory" : "file"] as const,
        ),
      ),
      usrDirectories: config.usrDirectories,
      localLinks: config.tools.localLinks,
      uid,
    },
  );
  const canOverlayUsr = config.usrDirectories.length > 0;
  const sources = {
    ...{ directory: paths, canOverlayUsr, readOnly, writable: runner, writableFiles: cgroup.commandGroups },
    hidden: config.hidden,
    hidesKernelKeys: !config.limits.nestedNamespaces,
  };
  writeFileSync(paths.fstab, machineFstab(sources, readHostMounts()));
  if (uid !== undefined) lchownSync(paths.fstab, uid, uid);
}

function makeOwnedDirectory(path: string, uid: number | undefined): void {
  mkdirSync(path, { mode: 0o755 });
  if (uid !== undefined) lchownSync(path, uid, uid);
}
