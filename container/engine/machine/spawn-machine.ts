// The one command that is a machine: each part of it changes something about the process and then becomes the next part, from
// the host's control groups, keyring and user through namespaces, mounts, the network and the filter to the runner.

import { type ChildProcess, spawn } from "node:child_process";
import { joinCgroups } from "../cgroup/join-cgroups.ts";
import type { MachineCgroup } from "../cgroup/machine-cgroup.ts";
import { NETWORK_COMMAND } from "../egress/network-command.ts";
import { TRUST_ENVIRONMENT } from "../egress/trust-store.ts";
import { commandLimits, LEAST_PROCESS_DATA_BYTES } from "../limits.ts";
import { NODE_INSIDE, PROGRAMS_INSIDE } from "../rootfs/machine-tools.ts";
import { perlScript, shellScript } from "../script.ts";
import { COMMAND_START } from "./command-start.ts";
import type { EngineConfig } from "./engine-config.ts";
import { isInMachinePath, MACHINE_PATH } from "./machine-path.ts";
import { asMachineUser } from "./machine-user.ts";
import { ARCHIVE_DIRECTORY, type MachinePaths } from "./prepare-machine.ts";

/**
 * Its standard input is the engine's pipe, on which it waits for a line before it mounts; anything on its standard output
 * means that the runner is up. Its IPC channel is for captured-sockets.ts, which closes it.
 */
export function spawnMachine(
  config: EngineConfig,
  cgroup: MachineCgroup,
  paths: MachinePaths,
  uid: number | undefined,
): ChildProcess {
  const [program = "", ...rest] = [
    ...joinCgroups(cgroup.directories),
    ...LEAVE_KEYRING,
    ...asMachineUser(uid),
    ...NEW_NAMESPACES,
    ...[...ENTER, paths.fstab, paths.root],
    ...NETWORK_COMMAND,
    ...DROP_PRIVILEGES,
    ...boundProcesses(config),
    ...config.loadFilter,
    ...SUPERVISE,
    ...[NODE_INSIDE, `${PROGRAMS_INSIDE}/init.mjs`, "/run/sandbox/socket", `${PROGRAMS_INSIDE}/runner.mjs`],
  ];
  return spawn(program, rest, {
    // Where the mounts of the fstab are made.
    cwd: paths.parent,
    env: {
      ...MACHINE_ENVIRONMENT,
      ...(paths.runner.size === 0 ? {} : RUNNER_DISK),
      ...(config.gaps.length === 0 ? {} : { RUNNER_GAPS: config.gaps.join(",") }),
      RUNNER_COMMAND_START: `${PROGRAMS_INSIDE}/${COMMAND_START}`,
      RUNNER_COMMAND_PROCESSES: String(commandLimits(config.limits).processes),
    },
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    // A session of its own: the engine's terminal must not become the machine's.
    detached: true,
  });
}

/**
 * Only perl can make the system call without a compiler. Where there is no perl, machines can use the keys of the session
 * that the engine was started in.
 */
const LEAVE_KEYRING = isInMachinePath("perl")
  ? [...perlScript(new URL("leave-keyring.pl", import.meta.url)), process.arch === "arm64" ? "219" : "250"]
  : [];

const NEW_NAMESPACES = [
  ...["unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup"],
  ...["--fork", "--kill-child"],
];

const ENTER = shellScript(new URL("enter.sh", import.meta.url));

const CAPABILITIES = [
  ...["chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap", "setfcap"],
  ...["net_bind_service", "net_raw", "sys_chroot"],
];

/** Drops the capabilities that could undo the mounts and the network. */
const DROP_PRIVILEGES = [
  ...["setpriv", "--no-new-privs", "--inh-caps=-all"],
  `--bounding-set=-all,${CAPABILITIES.map((capability) => `+${capability}`).join(",")}`,
];

const SUPERVISE = shellScript(new URL("supervise.sh", import.meta.url));

/**
 * Within the user namespace, so that the processes counted are this machine's and not all of the user's. A limit of 1 for core
 * files is the only one at which the kernel does not start what the host has set to take them, as root and outside of all
 * namespaces (fs/coredump.c); core(5) says that the others do not apply to a pipe.
 */
const boundProcesses = ({ cgroups, limits }: EngineConfig): string[] => [
  ...["prlimit", `--nproc=${limits.processes}`, "--core=1"],
  ...(cgroups.boundsMemory ? [] : [`--data=${Math.max(limits.memoryBytes, LEAST_PROCESS_DATA_BYTES)}`]),
];

const RUNNER_DISK = { RUNNER_ARCHIVE_DIRECTORY: ARCHIVE_DIRECTORY };

const MACHINE_ENVIRONMENT = {
  PATH: MACHINE_PATH,
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
