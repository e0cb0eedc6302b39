// Whether an overlay over `/usr` works here, tried as the user that machines run as: it needs a kernel that lets users mount
// one, and below the state directory a file system fit for the upper layer (with attributes, and not an overlay itself).

import { spawnSync } from "node:child_process";
import { lchownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machineUid } from "../machine/machine-uid.ts";
import { USR_UPPER, USR_WORK, usrOverlay } from "./machine-mounts.ts";
import { removeTree } from "./remove-tree.ts";

/** `parent` is where machines' directories are. */
export function probeUsrOverlay(parent: string): boolean {
  const directory = join(parent, "probe");
  const uid = machineUid(0);
  for (const path of ["", "root", "root/usr", USR_UPPER, join(USR_UPPER, "bin"), USR_WORK]) {
    mkdirSync(join(directory, path), { mode: 0o755 });
    if (uid !== undefined) lchownSync(join(directory, path), uid, uid);
  }
  writeFileSync(join(directory, "fstab"), `${usrOverlay(join(directory, "root"))}\n`);
  const command = [
    ...["--pdeathsig", "KILL", ...(uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"])],
    ...["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"],
    ...readdirSync("/usr/bin").slice(0, 1),
  ];
  const { status } = spawnSync("setpriv", command, { cwd: directory, stdio: "ignore", timeout: PROBE_MS });
  void removeTree(directory);
  return status === 0;
}

/** A file of the host is deleted and a directory put in its place: that takes device nodes and attributes in the upper layer. */
const SCRIPT = 'mount --all --fstab fstab && cd root/usr/bin && rm -f "$1" && mkdir "$1"';

/** It takes 10 ms; an upper layer on a network that hangs must not hold up the engine. */
const PROBE_MS = 3_000;
