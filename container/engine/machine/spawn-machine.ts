// The one command that is a machine: from the host's control groups, keyring and user into namespaces, through the enter
// script, to the runner.

import { type ChildProcess, spawn } from "node:child_process";
import type { MachineCgroup } from "../cgroup/machine-cgroup.ts";
import { NETWORK_SCRIPT } from "../egress/network-script.ts";
import { TRUST_ENVIRONMENT } from "../egress/trust-store.ts";
import { isInPath } from "../is-in-path.ts";
import { LEAST_PROCESS_DATA_BYTES } from "../limits.ts";
import { NODE_INSIDE, PROGRAMS_INSIDE } from "../rootfs/machine-tools.ts";
import type { MachineHost } from "./engine-config.ts";
import { ENTER_SCRIPT } from "./enter-script.ts";
import type { MachinePaths } from "./prepare-machine.ts";

/**
 * Its standard input is the engine's pipe, on which it waits for a line before it mounts; anything on its standard output means
 * that the runner is up. Its IPC channel is for captured-sockets.ts, which closes it.
 */
export function spawnMachine(
  host: MachineHost,
  cgroup: MachineCgroup,
  own: MachinePaths,
  uid: number | undefined,
): ChildProcess {
  const command = [
    ...WITHOUT_KEYS,
    ...["setpriv", "--pdeathsig", "KILL"],
    ...(uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"]),
    ...[
      "unshare",
      "--user",
      "--map-root-user",
      "--mount",
      "--pid",
      "--net",
      "--uts",
      "--ipc",
      "--cgroup",
      "--fork",
      "--kill-child",
    ],
    ...["sh", "-c", ENTER_SCRIPT, "sh", own.fstab, own.root, CAN_REACH_OUT ? NETWORK_SCRIPT : ""],
    // From within the user namespace, so that the processes counted are this machine's and not all of the user's.
    ...["prlimit", `--nproc=${host.limits.processes}`, "--core=0"],
    ...(host.cgroups.boundsMemory ? [] : [`--data=${Math.max(host.limits.memoryBytes, LEAST_PROCESS_DATA_BYTES)}`]),
    ...[NODE_INSIDE, `${PROGRAMS_INSIDE}/init.mjs`, "/run/sandbox/socket", `${PROGRAMS_INSIDE}/runner.mjs`],
  ];
  return spawn("sh", ["-c", JOIN_SCRIPT, "sh", String(cgroup.directories.length), ...cgroup.directories, ...command], {
    // Where the mounts of the fstab are made.
    cwd: own.parent,
    env: MACHINE_ENVIRONMENT,
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    // A session of its own: the engine's terminal must not become the machine's.
    detached: true,
  });
}

/**
 * Leaves the session's keyring behind, which no namespace hides: keyctl(KEYCTL_JOIN_SESSION_KEYRING, NULL), for which
 * only perl is at hand. Where there is no perl, machines can use the keys of the session that the engine was started in.
 */
const KEYCTL = { x64: 250, arm64: 219 }[process.arch === "arm64" ? "arm64" : "x64"];
const WITHOUT_KEYS = isInPath("perl") ? ["perl", "-e", `syscall(${KEYCTL}, 1, 0); exec @ARGV`] : [];

/** What network-script.ts needs; where it is missing machines have loopback only. */
export const CAN_REACH_OUT = isInPath("ip") && isInPath("perl");

/** Enters the control groups while still allowed to, then becomes the command. */
const JOIN_SCRIPT =
  'n=$1; shift; while [ $n -gt 0 ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; n=$((n-1)); done; exec "$@"';

const MACHINE_ENVIRONMENT = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/root",
  LANG: "C.UTF-8",
  USER: "root",
  LOGNAME: "root",
  SHELL: "/bin/bash",
  NPM_CONFIG_PREFIX: "/usr/local",
  ...TRUST_ENVIRONMENT,
  // Root is the only user inside, so archives that name others would fail to unpack.
  TAR_OPTIONS: "--no-same-owner",
};
