// What one machine may take of the host. Each value can be overridden by the environment variable named beside it.
// Time limits of the engine itself are here too; limits of commands are in src/contract/limits.ts.

import { totalmem } from "node:os";

export interface MachineLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

export function machineLimits(environment: NodeJS.ProcessEnv): MachineLimits {
  return {
    memoryBytes: positiveInteger(environment["SANDBOX_MCP_MEMORY_MB"], DEFAULT_MEMORY_MIB) * MIB,
    processes: positiveInteger(environment["SANDBOX_MCP_PIDS"], DEFAULT_PROCESSES),
  };
}

const MIB = 1024 * 1024;

/** Half of the host so that one machine cannot starve it; 4 GiB is the platform's `standard-1`, where builds fit. */
const DEFAULT_MEMORY_MIB = Math.min(4096, Math.floor(totalmem() / MIB / 2));

/** Without control groups the limit holds for each process, and Node reserves over half a GiB that it never uses. */
export const LEAST_PROCESS_DATA_BYTES = 1024 * MIB;

/** Threads count. A parallel build of a large project uses some hundreds; a fork bomb wants them all. */
const DEFAULT_PROCESSES = 1024;

/** A machine that is not up after this is broken; a busy host of two cores took 2 s at worst. */
export const MACHINE_START_MS = 20_000;

/** The engine is gone this long after it was told to stop; `npm start` promises 5 s for everything together. */
export const STOP_MS = 3_500;

/** Of that, what machines have for their processes and for a last checkpoint: one of some MB takes half a second. */
export const WIND_DOWN_MS = 2_000;

/** An engine whose server was ended by force is about to end as well; on a busy host it still answers for a while. */
export const PREDECESSOR_MS = 5_000;

/** A spare is made this long after the last start, so that it does not compete with the machine just asked for. */
export const SPARE_DELAY_MS = 1_000;

/** Connections that one machine may have to the outside at a time. A parallel install opens some dozens. */
export const CONNECTIONS_MAX = 512;

/** In each direction of such a connection: less stops and starts too often. It is the engine's memory, not the machine's. */
export const BUFFERED_BYTES = 128 * 1024;

/** A resolver that speaks DNS over TCP asks and goes. */
export const DNS_IDLE_MS = 10_000;

/** POST /stop without `t`: Docker's own default between SIGTERM and SIGKILL. */
export const STOP_GRACE_SECONDS = 10;

/** What a failing start shows of the machine's stderr. */
export const STDERR_TAIL_CHARACTERS = 2_000;

/** A body of the Docker API larger than this is refused; real ones are under 10 KB. */
export const API_BODY_BYTES = 4 * MIB;

function positiveInteger(text: string | undefined, otherwise: number): number {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise;
}
