// The engine: answers Docker's API for workerd over a unix socket and runs each machine in Linux namespaces. Arguments:
// --socket PATH --state DIR --runner FILE. Prints `ready` when it listens; SIGTERM or SIGINT ends every machine.

import "./close-inherited.ts";
import "./own-mounts.ts";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Gap } from "../../src/contract/gap.ts";
import { openCgroups } from "./cgroup/cgroup.ts";
import { openMachineDisks } from "./disk/machine-disks.ts";
import { SharedDisk } from "./disk/shared-disk.ts";
import { ContainerTable } from "./docker/container-table.ts";
import { createDockerApi } from "./docker/docker-api.ts";
import { listenOnSocket } from "./docker/listen-on-socket.ts";
import { openCertificateAuthority } from "./egress/certificate-authority.ts";
import { CAN_REACH_OUT } from "./egress/network-command.ts";
import { makeTrustStore } from "./egress/trust-store.ts";
import { commandLimits, machineLimits, STOP_MS, WIND_DOWN_MS } from "./limits.ts";
import { COMMAND_START, commandStart } from "./machine/command-start.ts";
import { SpareEnvironment } from "./machine/spare-environment.ts";
import { SpareMachine } from "./machine/spare-machine.ts";
import { machineEtc } from "./rootfs/machine-etc.ts";
import { prepareMachineTools } from "./rootfs/machine-tools.ts";
import { probeUsrOverlay } from "./rootfs/probe-usr-overlay.ts";
import { removeTree } from "./rootfs/remove-tree.ts";
import { usrDirectories } from "./rootfs/usr-directories.ts";
import { openFilterLoader } from "./seccomp/load-filter.ts";
import { openStateDir } from "./state-dir.ts";

const { socket, state, runner } = readArguments();
const stateDir = openStateDir(state);
const cgroups = openCgroups(stateDir.runId);
const directory = join(stateDir.run, "machines");
mkdirSync(directory, { mode: 0o711 });
const limits = machineLimits(process.env);
const ownPrograms = new Map([
  [COMMAND_START, commandStart(commandLimits(limits).processes, cgroups.commandGroupFiles)],
]);
const [authority, tools, disks] = await Promise.all([
  openCertificateAuthority(stateDir.path),
  prepareMachineTools(stateDir, runner, ownPrograms),
  openMachineDisks(stateDir, limits.diskBytes),
]);
const filter = openFilterLoader(limits);
const gaps: Gap[] = [
  ...(filter.obstacle === null ? [] : ["system_calls" as const]),
  ...(cgroups.boundsMemory ? [] : ["memory" as const]),
];
const closing = new AbortController();
const config = {
  directory,
  cgroups,
  etc: machineEtc(authority.certificate),
  tools,
  trustStore: makeTrustStore(stateDir.path, authority.certificate),
  limits,
  loadFilter: filter.command,
  gaps,
  disks,
  sharedDisk: disks === undefined ? new SharedDisk(directory, limits.diskBytes) : undefined,
  usrDirectories: probeUsrOverlay(directory) ? usrDirectories() : [],
  hidden: [resolve(import.meta.dirname, "../.."), stateDir.path],
  closing: closing.signal,
};
const containers = new ContainerTable(new SpareMachine(config, new SpareEnvironment(stateDir)), authority);
const server = createDockerApi(containers);
await listenOnSocket(server, socket);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => void stop());
if (!CAN_REACH_OUT) console.error("Machines have no network: install iproute2 and perl, then start again");
if (filter.obstacle !== null)
  console.error(`Machines run without a filter of system calls (SECURITY.md says what it is for): ${filter.obstacle}`);
if (!cgroups.boundsMemory)
  console.error(
    "Memory is limited for each process, not for a machine, and shared memory is not: no control group can be made here",
  );
// A fault in the handling of one machine must not end the others.
process.on("uncaughtException", (error) => console.error(error));
console.log("ready");

async function stop(): Promise<void> {
  // If anything takes longer, the kernel ends the machines with this process, and the next engine removes what they left.
  setTimeout(() => process.exit(1), STOP_MS).unref();
  closing.abort();
  // The API stays available, because workerd has to reach the machines to store their files.
  await containers.windDown(WIND_DOWN_MS);
  server.close();
  server.closeAllConnections();
  await containers.close();
  cgroups.close();
  disks?.close();
  config.sharedDisk?.close();
  await removeTree(stateDir.run);
  process.exit(0);
}

function readArguments(): { socket: string; state: string; runner: string } {
  const text = { type: "string" } as const;
  const { socket, state, runner } = parseArgs({ options: { socket: text, state: text, runner: text } }).values;
  if (socket === undefined || state === undefined || runner === undefined) {
    console.error("Usage: node container/engine/main.ts --socket PATH --state DIR --runner FILE");
    process.exit(2);
  }
  return { socket, state, runner };
}
