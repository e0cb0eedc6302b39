// What one machine may use of the host; each of these values can be overridden by an environment variable. The limits of the
// engine itself are here too. Those of commands are in src/contract/limits.ts.

import { totalmem } from "node:os";

export interface MachineLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of everything that the machine writes; the runner's logs and checkpoints may take as much again. */
  readonly diskBytes: number;
  /** Whether its programs may make namespaces of their own. */
  readonly nestedNamespaces: boolean;
}

export function machineLimits(environment: NodeJS.ProcessEnv): MachineLimits {
  return {
    memoryBytes: positiveInteger(environment["SANDBOX_MCP_MEMORY_MB"], DEFAULT_MEMORY_MIB) * MIB,
    processes: positiveInteger(environment["SANDBOX_MCP_PIDS"], DEFAULT_PROCESSES),
    diskBytes: positiveInteger(environment["SANDBOX_MCP_DISK_MB"], DEFAULT_DISK_MIB) * MIB,
    nestedNamespaces: environment["SANDBOX_MCP_NESTED_NAMESPACES"] === "1",
  };
}

/** What commands may use together. The rest is the runner's, so that it works whatever commands have used up. */
export const commandLimits = ({
  memoryBytes,
  processes,
}: MachineLimits): Pick<MachineLimits, "memoryBytes" | "processes"> => ({
  memoryBytes: memoryBytes - Math.min(RUNNER_MEMORY_MIB * MIB, Math.floor(memoryBytes / 4)),
  processes: processes - Math.min(RUNNER_PROCESSES, Math.max(RUNNER_PROCESSES_MIN, Math.floor(processes / 8))),
});

/** The runner takes 60 MiB, a checkpoint or a search of a large tree as much again. A quarter of a small machine. */
const RUNNER_MEMORY_MIB = 256;

/** The runner has a dozen threads; a checkpoint starts a dozen programs, and a search a thread for each core. */
const RUNNER_PROCESSES = 64;
const RUNNER_PROCESSES_MIN = 24;

const MIB = 1024 * 1024;

/** Half of the host, so that one machine cannot starve it, or 4 GiB, as on the platform's `standard-1`, where builds fit. */
const DEFAULT_MEMORY_MIB = Math.min(4096, Math.floor(totalmem() / MIB / 2));

/** Without control groups the limit applies to each process, and Node reserves over half a GiB that it never uses. */
export const LEAST_PROCESS_DATA_BYTES = 1024 * MIB;

/** Threads count too. A parallel build of a large project uses some hundreds; a fork bomb takes all there are. */
const DEFAULT_PROCESSES = 1024;

/** As on the platform's `standard-1`. Where the host has less to give, each machine is held to its share (host-share.ts). */
const DEFAULT_DISK_MIB = 8192;

/** Machines leave so much of the host's disk free, for the server's own state and for other programs. */
export const HOST_RESERVE_BYTES = 2 * 1024 * MIB;

/** On a small disk, machines leave this share of it free instead. */
export const HOST_RESERVE_SHARE = 0.1;

/** A machine that could write less than this is not started: the first `npm install` would fill it. */
export const LEAST_DISK_BYTES = 32 * MIB;

/** How often the shares are adjusted to what is free on the host. Other programs fill less than the reserve in this time. */
export const HOST_SHARE_CHECK_MS = 1_000;

/** How often an engine whose machines share the host's disk looks at what is free. A fast disk takes a GiB in this time. */
export const SHARED_DISK_CHECK_MS = 500;

/** How often in a row the runner of a machine beyond its limit is told to end what writes before the machine is ended. */
export const SHARED_DISK_WARNINGS = 5;

/** A machine that is not up by then is broken; on a busy host with two cores the slowest took 2 s. */
export const MACHINE_START_MS = 20_000;

/**
 * How long machines have for their processes and a last checkpoint once the engine is told to stop. One of some MB takes half a
 * second. A large one takes as long as the runner allows: 2 s for processes that ignore SIGTERM and 25 s for the files.
 */
export const WIND_DOWN_MS = 30_000;

/** The engine exits within this time after it is told to stop. */
export const STOP_MS = WIND_DOWN_MS + 1_500;

/**
 * How long a new engine waits for the previous one to end. On a busy host, an engine whose server was killed continues for a
 * while.
 */
export const PREDECESSOR_MS = 5_000;

/** A spare is made this long after the last start, so that it does not compete with the machine just asked for. */
export const SPARE_DELAY_MS = 1_000;

/** Connections that one machine may have to the outside at a time. A parallel install opens some dozens. */
export const CONNECTIONS_MAX = 512;

/** The buffer for each direction of such a connection, in the engine's memory. A smaller one would pause reading too often. */
export const BUFFERED_BYTES = 128 * 1024;

/** A resolver that uses TCP asks, reads the answer and closes the connection. */
export const DNS_IDLE_MS = 10_000;

/** How long the certificate of a host is valid, which no engine outlives. Many clients refuse more than 825 days. */
export const LEAF_LIFETIME_MS = 300 * 24 * 60 * 60 * 1000;

/** Between SIGTERM and SIGKILL when POST /stop has no `t`; Docker's own default. */
export const STOP_GRACE_SECONDS = 10;

/** The part of a machine's stderr that the error of a failed start shows. */
export const STDERR_TAIL_CHARACTERS = 2_000;

/** A larger body of a call to the Docker API is refused; real ones are under 10 KB. */
export const API_BODY_BYTES = 4 * MIB;

function positiveInteger(text: string | undefined, otherwise: number): number {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise;
}
