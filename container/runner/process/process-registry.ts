// Every process by its id: the running ones, a bounded number of finished ones, and the ids of those dropped since.

import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { newestProcessId, processIds } from "../../proc/proc-file.ts";
import { type ProcessStat, readStat } from "../../proc/process-stat.ts";
import type { Census, Scan } from "./census.ts";
import type { Process } from "./process.ts";

/** How many finished processes keep their output in memory. That of older ones is read from their logs. */
const OUTPUTS_IN_MEMORY = 8;

export interface Added {
  process: Process;
  /** False when this call started it. */
  attached: boolean;
}

export class ProcessRegistry {
  readonly #census: Census;
  /** In the order in which they started. */
  readonly #processes = new Map<string, Process>();
  readonly #starting = new Map<string, Promise<Result<Process>>>();
  readonly #droppedIds = new Set<string>();
  dropped = 0;

  constructor(census: Census) {
    this.#census = census;
  }

  /** Waits for a process that is just being started. */
  async find(id: string): Promise<Result<Process>> {
    await this.#starting.get(id);
    const process = this.#processes.get(id);
    if (process !== undefined) return succeed(process);
    if (this.#droppedIds.has(id)) return fail({ reason: "process_forgotten", process_id: id });
    return fail({ reason: "not_found", kind: "process", name: id });
  }

  /** Newest first. */
  list(): Process[] {
    return [...this.#processes.values()].reverse();
  }

  /** Starts a process, or returns the one that has the id. Of concurrent calls with one id, only one starts it. */
  async add(id: string, start: () => Promise<Result<Process>>): Promise<Result<Added>> {
    // When the start that this call waited for has failed, another waiting call may have begun a new one.
    while (this.#starting.has(id)) await this.#starting.get(id);
    const known = this.#processes.get(id);
    if (known !== undefined) return succeed({ process: known, attached: true });
    if (this.#droppedIds.has(id)) return fail({ reason: "process_forgotten", process_id: id });
    if (this.#isFull())
      return fail({ reason: "quota_exceeded", subject: "live processes", limit: limits.liveProcessesMax });
    // There must be no await between the checks above and this reservation.
    const starting = start();
    this.#starting.set(id, starting);
    try {
      const started = await starting;
      if (!started.ok) return started;
      this.#processes.set(id, started.value);
      return succeed({ process: started.value, attached: false });
    } finally {
      this.#starting.delete(id);
    }
  }

  /** How many processes may have something alive. */
  get unsettledCount(): number {
    return this.#unsettled().length;
  }

  /** The tags that a living process may have. */
  tags(): Set<number> {
    return new Set(this.#unsettled().map((process) => process.tag));
  }

  /** What is alive of one process now. */
  livingProcesses(process: Process): ProcessStat[] {
    const found = this.#scan().get(process) ?? [];
    if (process.status === "exited") process.leftRunning = found.length;
    return found;
  }

  /** What is alive of each process, and everything in the machine, what has ended and is not reaped included. */
  everyProcess(): { owned: Map<Process, ProcessStat[]>; all: ProcessStat[] } {
    return { owned: this.#scan(), all: processIds().flatMap((pid) => readStat(pid) ?? []) };
  }

  /** How many living processes have removed every mark of the command that started them, which may be this one or another. */
  countUnclear(process: Process): number {
    const { strays } = this.#census.scan(this.#unsettled());
    return strays.filter((stat) => process.mayHaveStarted(stat) && this.#mayHaveStarted(stat).length > 1).length;
  }

  #scan(): Map<Process, ProcessStat[]> {
    return this.#adoptStrays(this.#census.scan(this.#unsettled()));
  }

  /** What began while only one command ran is that command's. */
  #adoptStrays({ owned, strays }: Scan<Process>): Map<Process, ProcessStat[]> {
    for (const stat of strays) {
      const [starter, ...others] = this.#mayHaveStarted(stat);
      if (starter !== undefined && others.length === 0) owned.get(starter)?.push(stat);
    }
    return owned;
  }

  #mayHaveStarted(stat: ProcessStat): Process[] {
    return this.list().filter((process) => process.mayHaveStarted(stat));
  }

  /** How many processes a command that has just ended leaves running. */
  countLeftRunning(process: Process): number {
    if (!idsGrewSince(process)) return this.livingProcesses(process).length;
    return this.#adoptStrays(this.#census.scanNewer(process)).get(process)?.length ?? 0;
  }

  /** Brings `leftRunning` of every process up to date. Costs nothing when no ended process left anything running. */
  refreshLeftRunning(): void {
    if (!this.list().some((process) => process.status === "exited" && process.leftRunning > 0)) return;
    for (const [process, found] of this.#scan()) {
      if (process.status === "exited") process.leftRunning = found.length;
    }
  }

  /** Counts running commands and the processes that ended commands left running. */
  liveCount(): number {
    this.refreshLeftRunning();
    return this.list().reduce((sum, process) => sum + (process.status === "exited" ? process.leftRunning : 1), 0);
  }

  /** Drops the oldest finished processes above the limit, with their logs. */
  async trim(): Promise<void> {
    const settled = [...this.#processes.values()].filter((process) => process.settled);
    for (const process of settled.slice(-2 * OUTPUTS_IN_MEMORY, -OUTPUTS_IN_MEMORY)) {
      process.stdout.releaseMemory();
      process.stderr.releaseMemory();
    }
    const surplus = settled.slice(0, Math.max(0, settled.length - limits.finishedProcessesMax));
    for (const process of surplus) {
      this.#processes.delete(process.id);
      this.#rememberDropped(process.id);
    }
    await Promise.all(surplus.flatMap((process) => [process.stdout.log.remove(), process.stderr.log.remove()]));
  }

  #rememberDropped(id: string): void {
    this.dropped++;
    this.#droppedIds.add(id);
    const [oldest] = this.#droppedIds;
    if (this.#droppedIds.size > limits.droppedProcessIdsMax && oldest !== undefined) this.#droppedIds.delete(oldest);
  }

  /** A process is unsettled from its start until a scan after its end has found nothing of it alive. */
  #unsettled(): Process[] {
    return [...this.#processes.values()].filter((process) => !process.settled);
  }

  #isFull(): boolean {
    const isFull = (): boolean => this.#unsettled().length + this.#starting.size >= limits.liveProcessesMax;
    if (!isFull()) return false;
    this.refreshLeftRunning();
    return isFull();
  }
}

/** Whether all that it started is sure to have ids above its own: it was brief, and the kernel's ids have not wrapped around. */
const idsGrewSince = (process: Process): boolean => process.durationMs < 1_000 && newestProcessId() >= process.leader;
