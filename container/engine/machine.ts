// One machine: a process tree in namespaces of its own, from its directory on disk to the removal of it. Knows nothing of
// Docker's API; container.ts gives it a name and a state.

import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { constants as systemConstants } from "node:os";
import { join } from "node:path";
import type { Cgroups, MachineCgroup } from "./cgroup.ts";
import { listenForOutgoing, OUTGOING_SOCKET, type Outgoing, type OutgoingSocket } from "./egress/outgoing-socket.ts";
import { TRUST_ENVIRONMENT } from "./egress/trust-store.ts";
import { ENTER_SCRIPT } from "./enter-script.ts";
import { readHostMounts } from "./host-mounts.ts";
import { isInPath } from "./is-in-path.ts";
import { LEAST_PROCESS_DATA_BYTES, MACHINE_START_MS, type MachineLimits, STDERR_TAIL_CHARACTERS } from "./limits.ts";
import type { MachineEtc } from "./machine-etc.ts";
import { type MachineDirectory, machineFstab } from "./machine-mounts.ts";
import { writeMachineRoot } from "./machine-root.ts";
import { type MachineTools, NODE_INSIDE, PROGRAMS_INSIDE } from "./machine-tools.ts";
import { NETWORK_SCRIPT } from "./network-script.ts";
import { removeTree } from "./remove-tree.ts";

/** What all machines of an engine have in common. */
export interface MachineHost {
  /** An empty directory for machines' directories. */
  readonly directory: string;
  readonly cgroups: Cgroups;
  readonly etc: MachineEtc;
  readonly tools: MachineTools;
  readonly limits: MachineLimits;
  /** The directory of the certificates that machines trust. */
  readonly trustStore: string;
  /** Host paths that must not be seen even where they are below a system directory. */
  readonly hidden: readonly string[];
  /** Aborted when the engine ends: machines that are starting are given up. */
  readonly closing: AbortSignal;
}

export interface Machine {
  readonly isUp: boolean;
  /** The exit code, 128 + n after signal n. Resolves when nothing of the machine runs; never rejects. */
  readonly ended: Promise<number>;
  /** Resolves when its files and control groups are gone too. */
  readonly removed: Promise<void>;
  /** A connection to a port of the machine. Rejects when nobody listens there or the machine has ended. */
  connect(port: number): Promise<Socket>;
  /** Who gets the connections that the machine makes to the outside; until it is said they are refused. */
  onOutgoing(receive: (outgoing: Outgoing) => void): void;
  /** Gives the runner a signal, which may do as it likes with it. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Ends every process at once. */
  kill(): void;
}

let lastNumber = 0;
/** Users that no account has: above the ranges for subordinate ids and systemd-nspawn, below 2^31. One for each machine. */
const firstUid = 0x70000000 + Math.floor(Math.random() * 0x0f000000);

/** Resolves when the runner is up. Rejects, with everything removed again, when the machine ends before that. */
export async function startMachine(host: MachineHost, environment: Record<string, string>): Promise<Machine> {
  lastNumber += 1;
  const name = `m${lastNumber}`;
  const uid = process.getuid?.() === 0 ? firstUid + lastNumber : undefined;
  const cgroup = host.cgroups.create(name, host.limits);
  const directory = join(host.directory, name);
  let outgoing: OutgoingSocket | undefined;
  const remove = async (): Promise<void> => {
    outgoing?.close();
    await Promise.all([cgroup.close(), removeTree(directory)]);
  };
  let child: ChildProcess;
  try {
    const own = prepareMachine(host, cgroup, directory, uid);
    outgoing = listenForOutgoing(own.relay, uid);
    child = spawnMachine(host, cgroup, own, uid);
  } catch (error) {
    await remove();
    throw error;
  }
  child.stdin?.on("error", () => child.kill("SIGKILL")).write(`${JSON.stringify(environment)}\n`);

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
    return new RunningMachine({ ended, removed, kill, outgoing, socketPath: join(directory, "relay/socket") });
  } catch (error) {
    kill();
    await removed;
    throw new Error(`Cannot start a machine: ${stderr().trim() || String(error)}`);
  }
}

interface PreparedMachine extends MachineDirectory {
  readonly fstab: string;
}

/** Everything on disk. */
function prepareMachine(
  host: MachineHost,
  cgroup: MachineCgroup,
  directory: string,
  uid: number | undefined,
): PreparedMachine {
  const own = { root: join(directory, "root"), local: join(directory, "local"), relay: join(directory, "relay") };
  mkdirSync(directory, { mode: 0o700 });
  const readOnly = new Map([
    ...host.etc.directories.map((path) => [`/etc/${path}`, `/etc/${path}`] as const),
    [host.trustStore, "/etc/ssl/certs"] as const,
    ...host.tools.readOnly,
    ...cgroup.visible,
  ]);
  writeMachineRoot(own, {
    etc: host.etc,
    mountPoints: new Map(
      [...readOnly].map(([source, at]) => [at, statSync(source).isDirectory() ? "directory" : "file"] as const),
    ),
    localLinks: host.tools.localLinks,
    uid,
  });
  const fstab = join(directory, "fstab");
  writeFileSync(fstab, machineFstab({ directory: own, readOnly, hidden: host.hidden }, readHostMounts()));
  if (uid !== undefined) {
    for (const path of [fstab, directory]) lchownSync(path, uid, uid);
  }
  chmodSync(directory, 0o700);
  return { ...own, fstab };
}

function spawnMachine(
  host: MachineHost,
  cgroup: MachineCgroup,
  own: PreparedMachine,
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
    ...[NODE_INSIDE, `${PROGRAMS_INSIDE}/init.mjs`, "/run/sandbox/socket"],
    ...[`/run/sandbox/${OUTGOING_SOCKET}`, `${PROGRAMS_INSIDE}/runner.mjs`],
  ];
  return spawn("sh", ["-c", JOIN_SCRIPT, "sh", String(cgroup.directories.length), ...cgroup.directories, ...command], {
    cwd: "/",
    env: MACHINE_ENVIRONMENT,
    stdio: ["pipe", "pipe", "pipe"],
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

/** Process 1 first: `unshare` then waits until every process is gone, so that its own exit says so. */
function killTree(child: ChildProcess): void {
  if (!isRunning(child)) return;
  try {
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
    for (const pid of children.filter((text) => text !== "")) process.kill(Number(pid), "SIGKILL");
    if (children[0] === "") child.kill("SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

const isRunning = (child: ChildProcess): boolean =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null;

const signalCode = (signal: NodeJS.Signals): number => 128 + systemConstants.signals[signal];

interface RunningParts {
  readonly ended: Promise<number>;
  readonly removed: Promise<void>;
  readonly kill: () => void;
  readonly outgoing: OutgoingSocket;
  readonly socketPath: string;
}

class RunningMachine implements Machine {
  readonly ended: Promise<number>;
  readonly removed: Promise<void>;
  readonly kill: () => void;
  /** Of the socket's file itself: what the machine later puts in its place, a link to a socket of the host, is never followed. */
  readonly #socket: number;
  readonly #outgoing: OutgoingSocket;
  #isUp = true;

  constructor(parts: RunningParts) {
    this.ended = parts.ended;
    this.removed = parts.removed;
    this.kill = parts.kill;
    this.#outgoing = parts.outgoing;
    this.#socket = openSync(parts.socketPath, O_PATH_NOFOLLOW);
    if (!fstatSync(this.#socket).isSocket()) throw new Error("the relay's socket was replaced");
    void this.ended.then(() => {
      this.#isUp = false;
      closeSync(this.#socket);
    });
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  connect(port: number): Promise<Socket> {
    return this.#ask(String(port));
  }

  onOutgoing(receive: (outgoing: Outgoing) => void): void {
    this.#outgoing.receiver = receive;
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    (await this.#ask(`signal ${name}`)).destroy();
  }

  #ask(line: string): Promise<Socket> {
    if (!this.#isUp) return Promise.reject(new Error("the machine has ended"));
    return new Promise((resolve, reject) => {
      const socket = connect({ path: `/proc/self/fd/${this.#socket}`, allowHalfOpen: true });
      const refused = (): void => reject(new Error(`nobody answers '${line}'`));
      socket.once("error", refused).once("end", refused).write(`${line}\n`);
      socket.once("data", (data) => {
        socket.off("error", refused).off("end", refused).pause();
        if (data[0] !== PLUS) {
          socket.destroy();
          return refused();
        }
        if (data.length > 1) socket.unshift(data.subarray(1));
        resolve(socket);
      });
    });
  }
}

/** Linux's O_PATH has no name in Node. It opens the file that is there, not what it leads to. */
const O_PATH_NOFOLLOW = 0o10000000 | constants.O_NOFOLLOW;
const PLUS = "+".charCodeAt(0);
