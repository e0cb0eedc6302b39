// Every process by its id: the living, a bounded number of finished ones, and the ids of those dropped since.

import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { newestProcessId } from "../../proc/proc-file.ts";
import type { ProcessStat } from "../../proc/process-stat.ts";
import type { Census } from "./census.ts";
import type { Process } from "./process.ts";

/** Finished processes whose output stays in memory; of the others the log knows it. */
const REMEMBERED = 8;

export interface Added {
  process: Process;
  /** It was there before. */
  attached: boolean;
}

export class Registry {
  readonly #census: Census;
  /** In the order of their start. */
  readonly #processes = new Map<string, Process>();
  readonly #starting = new Map<string, Promise<Result<Process>>>();
  readonly #forgotten = new Set<string>();
  dropped = 0;

  constructor(census: Census) {
    this.#census = census;
  }

  /** The process of this id, waiting for one that is just being started. */
  async find(id: string): Promise<Result<Process>> {
    await this.#starting.get(id);
    const process = this.#processes.get(id);
    if (process !== undefined) return succeed(process);
    if (this.#forgotten.has(id)) return fail({ reason: "process_forgotten", process_id: id });
    return fail({ reason: "not_found", kind: "process", name: id });
  }

  /** Newest first. */
  list(): Process[] {
    return [...this.#processes.values()].reverse();
  }

  /** Starts a process, or finds the one that has the id. Of calls at once with one id, one starts and the others find. */
  async add(id: string, start: () => Promise<Result<Process>>): Promise<Result<Added>> {
    // Another call may start it while this one waits for a start that then fails.
    while (this.#starting.has(id)) await this.#starting.get(id);
    const known = this.#processes.get(id);
    if (known !== undefined) return succeed({ process: known, attached: true });
    if (this.#forgotten.has(id)) return fail({ reason: "process_forgotten", process_id: id });
    if (this.#isFull())
      return fail({ reason: "quota_exceeded", subject: "live processes", limit: limits.liveProcessesMax });
    // From the last look to the reservation nothing may yield.
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

  /** Those that a living process may have. */
  tags(): Set<number> {
    return new Set(this.#unsettled().map((process) => process.tag));
  }

  /** What lives of one process now. */
  look(process: Process): ProcessStat[] {
    const found = this.#census.take(this.#unsettled()).get(process) ?? [];
    if (process.status === "exited") process.leftRunning = found.length;
    return found;
  }

  /** What a command that has just ended leaves running. */
  lookAtEnd(process: Process): number {
    return idsGrewSince(process) ? this.#census.takeYoung(process).length : this.look(process).length;
  }

  /** Brings `leftRunning` of all up to date; free when nothing that has ended left anything. */
  refresh(): void {
    if (!this.list().some((process) => process.status === "exited" && process.leftRunning > 0)) return;
    for (const [process, found] of this.#census.take(this.#unsettled())) {
      if (process.status === "exited") process.leftRunning = found.length;
    }
  }

  /** Running commands, and what ended ones left running. */
  liveCount(): number {
    this.refresh();
    return this.list().reduce((sum, process) => sum + (process.status === "exited" ? process.leftRunning : 1), 0);
  }

  /** Drops the oldest finished ones above the limit, with their logs. */
  async trim(): Promise<void> {
    const settled = [...this.#processes.values()].filter((process) => process.settled);
    for (const process of settled.slice(-2 * REMEMBERED, -REMEMBERED)) {
      process.stdout.releaseMemory();
      process.stderr.releaseMemory();
    }
    const surplus = settled.slice(0, Math.max(0, settled.length - limits.finishedProcessesMax));
    for (const process of surplus) {
      this.#processes.delete(process.id);
      this.#forget(process.id);
    }
    await Promise.all(surplus.flatMap((process) => [process.stdout.log.remove(), process.stderr.log.remove()]));
  }

  #forget(id: string): void {
    this.dropped++;
    this.#forgotten.add(id);
    const [oldest] = this.#forgotten;
    if (this.#forgotten.size > limits.droppedProcessIdsMax && oldest !== undefined) this.#forgotten.delete(oldest);
  }

  /** A process is unsettled from its start until a look after its end has found nothing of it. */
  #unsettled(): Process[] {
    return [...this.#processes.values()].filter((process) => !process.settled);
  }

  #isFull(): boolean {
    const isFull = (): boolean => this.#unsettled().length + this.#starting.size >= limits.liveProcessesMax;
    if (!isFull()) return false;
    this.refresh();
    return isFull();
  }
}

/** What it started has ids above its own: sure while it is brief and the kernel has not begun again at low ones. */
const idsGrewSince = (process: Process): boolean => process.durationMs < 1_000 && newestProcessId() >= process.leader;
