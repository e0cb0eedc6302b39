// Whether an overlay over `/usr` works here, tried as the user that machines run as: it needs a kernel that lets users mount
// one, and a state directory whose file system can hold the upper layer (with extended attributes, and no overlay itself).

import { spawnSync } from "node:child_process";
import { lchownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asMachineUser, machineUid } from "../machine/machine-user.ts";
import { shellScript } from "../script.ts";
import { USR_UPPER, USR_WORK, usrOverlay } from "./machine-mounts.ts";
import { removeTree } from "./remove-tree.ts";

/** `parent` is where the directories of machines are made. */
export function probeUsrOverlay(parent: string): boolean {
  const directory = join(parent, "probe");
  const uid = machineUid(0);
  for (const path of ["", "root", "root/usr", USR_UPPER, join(USR_UPPER, "bin"), USR_WORK]) {
    mkdirSync(join(directory, path), { mode: 0o755 });
    if (uid !== undefined) lchownSync(join(directory, path), uid, uid);
  }
  writeFileSync(join(directory, "fstab"), `${usrOverlay(join(directory, "root"))}\n`);
  const [program = "", ...rest] = [
    ...[...asMachineUser(uid), "unshare", "--user", "--map-root-user", "--mount", ...PROBE],
    ...readdirSync("/usr/bin").slice(0, 1),
  ];
  const { status } = spawnSync(program, rest, { cwd: directory, stdio: "ignore", timeout: PROBE_MS });
  void removeTree(directory);
  return status === 0;
}

const PROBE = shellScript(new URL("probe-usr-overlay.sh", import.meta.url));

/** The probe takes 10 ms; a state directory on a network file system that hangs must not hold up the engine. */
const PROBE_MS = 3_000;
