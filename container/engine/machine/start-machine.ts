// Starts one machine: a process tree in namespaces of its own, with a directory on disk and control groups that are removed
// after its end. Docker's API is not known here; container.ts gives a machine its name and state.

import { chmod } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import type { MachineDisk } from "../disk/machine-disks.ts";
import { CapturedSockets } from "../egress/captured-sockets.ts";
import { MACHINE_START_MS } from "../limits.ts";
import { USR_WORK } from "../rootfs/machine-mounts.ts";
import { removeTree } from "../rootfs/remove-tree.ts";
import type { EngineConfig } from "./engine-config.ts";
import { EngineMachine } from "./engine-machine.ts";
import { machineUid } from "./machine-user.ts";
import { makeMachineDirectory, prepareMachine } from "./prepare-machine.ts";
import { ProcessTree } from "./process-tree.ts";
import { spawnMachine } from "./spawn-machine.ts";

/** Resolves when the runner is up. Rejects, with everything removed again, when the machine cannot be started. */
export async function startMachine(config: EngineConfig, environment: Record<string, string>): Promise<EngineMachine> {
  lastNumber += 1;
  const name = `m${lastNumber}`;
  const { processTree, captured, remove } = await launch(config, lastNumber);
  const removed = processTree.ended.then(remove);
  try {
    processTree.proceed(environment);
    await processTree.waitUntilUp(AbortSignal.any([config.closing, AbortSignal.timeout(MACHINE_START_MS)]));
    const machine = new EngineMachine({ processTree, captured, removed, directory: join(config.directory, name) });
    config.sharedDisk?.watch(machine, join(config.directory, name));
    void processTree.ended.then((code) => {
      if (processTree.wasKilled || ORDERLY.has(code)) return;
      console.error(`machine ${name} exited with ${code}: ${processTree.stderr}`);
    });
    return machine;
  } catch (error) {
    processTree.kill();
    await removed;
    throw new Error(`Cannot start a machine: ${processTree.stderr || String(error)}`);
  }
}

/** Machines are numbered in the order in which they are made. */
let lastNumber = 0;

/** The exit codes of a runner that was told to stop, or whose engine has ended. */
const ORDERLY: ReadonlySet<number> = new Set([0, 128 + constants.signals.SIGTERM]);

interface Launched {
  readonly processTree: ProcessTree;
  readonly captured: CapturedSockets;
  /** Removes everything that the machine had. Must be called only after it has ended. */
  remove(): Promise<void>;
}

async function launch(config: EngineConfig, number: number): Promise<Launched> {
  const uid = machineUid(number);
  const cgroup = config.cgroups.create({
    name: `m${number}`,
    limits: config.limits,
    uid: uid ?? process.getuid?.() ?? 0,
  });
  const directory = join(config.directory, `m${number}`);
  let disk: MachineDisk | undefined;
  let processTree: ProcessTree | undefined;
  let captured: CapturedSockets | undefined;
  const remove = async (): Promise<void> => {
    captured?.close();
    await Promise.all([cgroup.close(), disk?.remove() ?? removeMachineDirectory(directory)]);
  };
  try {
    disk = await config.disks?.create(`m${number}`, directory);
    const paths = makeMachineDirectory(directory, disk?.runnerDirectory, uid);
    const child = spawnMachine(config, cgroup, paths, uid);
    processTree = new ProcessTree(child);
    captured = new CapturedSockets(child);
    // At the same time the new process changes its user and namespaces, which takes as long.
    prepareMachine(config, cgroup, paths, uid);
    return { processTree, captured, remove };
  } catch (error) {
    processTree?.kill();
    await processTree?.ended;
    await remove();
    throw error;
  }
}

async function removeMachineDirectory(directory: string): Promise<void> {
  // The kernel made this directory with mode 0, which would make `rm` fail and run twice.
  await chmod(join(directory, USR_WORK, "work"), 0o700).catch(() => undefined);
  await removeTree(directory);
}
