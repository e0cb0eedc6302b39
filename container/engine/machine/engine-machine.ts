// One machine: a process tree in namespaces of its own, from its directory on disk to the removal of it. Knows nothing of
// Docker's API; container.ts gives it a name and a state.

import type { ChildProcess } from "node:child_process";
import { chmod } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { CapturedSockets } from "../egress/captured-sockets.ts";
import { MACHINE_START_MS, STDERR_TAIL_CHARACTERS } from "../limits.ts";
import { USR_WORK } from "../rootfs/machine-mounts.ts";
import { removeTree } from "../rootfs/remove-tree.ts";
import type { MachineHost } from "./engine-config.ts";
import { isRunning, killTree } from "./kill-tree.ts";
import { machineUid } from "./machine-uid.ts";
import { makeMachineDirectory, prepareMachine } from "./prepare-machine.ts";
import { type Machine, RunningMachine } from "./running-machine.ts";
import { spawnMachine } from "./spawn-machine.ts";

/** Resolves when the runner is up. Rejects, with everything removed again, when the machine ends before that. */
export async function startMachine(host: MachineHost, environment: Record<string, string>): Promise<Machine> {
  lastNumber += 1;
  const name = `m${lastNumber}`;
  const uid = machineUid(lastNumber);
  const cgroup = host.cgroups.create(name, host.limits);
  const directory = join(host.directory, name);
  let captured: CapturedSockets | undefined;
  const remove = async (): Promise<void> => {
    captured?.close();
    // The kernel made it so that nobody may enter; `rm` would stumble and have to be run twice.
    await chmod(join(directory, USR_WORK, "work"), 0o700).catch(() => undefined);
    await Promise.all([cgroup.close(), removeTree(directory)]);
  };
  let child: ChildProcess | undefined;
  try {
    const own = makeMachineDirectory(directory, uid);
    child = spawnMachine(host, cgroup, own, uid);
    captured = new CapturedSockets(child);
    // While it changes users and namespaces, which takes as long.
    prepareMachine(host, cgroup, own, uid);
  } catch (error) {
    child?.once("error", () => undefined).kill("SIGKILL");
    await remove();
    throw error;
  }
  child.stdin?.on("error", () => child.kill("SIGKILL")).write(`\n${JSON.stringify(environment)}\n`);

  const stderr = keepTail(child);
  let killed = false;
  const ended = new Promise<number>((resolve) => {
    child.once("error", () => resolve(127));
    // When process 1 is killed, `unshare` says no more than that it failed.
    child.once("exit", (code, signal) => resolve(killed || code === null ? signalCode(signal ?? "SIGKILL") : code));
  });
  const removed = ended.then(remove);
  const kill = (): void => {
    killed ||= isRunning(child);
    killTree(child);
  };
  try {
    await upWithin(child, ended, AbortSignal.any([host.closing, AbortSignal.timeout(MACHINE_START_MS)]));
    void ended.then((code) => {
      if (!killed && !AS_TOLD.has(code)) console.error(`machine ${name} ended with ${code}: ${stderr().trim()}`);
    });
    return new RunningMachine({ ended, removed, kill, captured, socketPath: join(directory, "relay/socket") });
  } catch (error) {
    kill();
    await removed;
    throw new Error(`Cannot start a machine: ${stderr().trim() || String(error)}`);
  }
}

let lastNumber = 0;

function keepTail(child: ChildProcess): () => string {
  let tail = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    tail = (tail + chunk).slice(-STDERR_TAIL_CHARACTERS);
  });
  return () => tail;
}

function upWithin(child: ChildProcess, ended: Promise<number>, limit: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    limit.throwIfAborted();
    limit.addEventListener("abort", () => reject(limit.reason), { once: true });
    // Anything on standard output is the sign; what comes later is read so that nobody blocks on it, and dropped.
    child.stdout?.once("data", () => resolve()).resume();
    void ended.then((code) => reject(new Error(`exited with ${code}`)));
  });
}

/** What a runner that ends because it was told to, or by its parent's end, exits with. */
const AS_TOLD: ReadonlySet<number> = new Set([0, 128 + constants.signals.SIGTERM]);

const signalCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];
