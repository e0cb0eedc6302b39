// Records which processes are running. The record outlives the machine, so that a notice can name the processes that were lost.

import type { ProcessSummary } from "../../contract/process.ts";
import type { KeyValues } from "../storage/key-values.ts";

export interface RunningProcess {
  process_id: string;
  command: string;
}

export class RunningProcesses {
  readonly #kv: KeyValues;
  #known: RunningProcess[];

  constructor(kv: KeyValues) {
    this.#kv = kv;
    this.#known = kv.get<RunningProcess[]>(KEY) ?? [];
  }

  list(): readonly RunningProcess[] {
    return this.#known;
  }

  /** Records one process as a response of the runner describes it. */
  trackProcess(process: ProcessSummary): void {
    const others = this.#known.filter(({ process_id }) => process_id !== process.process_id);
    if (isRunning(process)) this.#save([...others, entryOf(process)]);
    else if (others.length < this.#known.length) this.#save(others);
  }

  /** Replaces the record with the given processes. */
  replace(processes: readonly ProcessSummary[]): void {
    this.#save(processes.filter(isRunning).map(entryOf));
  }

  clear(): void {
    this.#save([]);
  }

  #save(processes: RunningProcess[]): void {
    const next = processes.slice(-PROCESSES_MAX);
    if (JSON.stringify(next) === JSON.stringify(this.#known)) return;
    this.#known = next;
    this.#kv.put(KEY, next);
  }
}

const KEY = "running_processes";
/** A notice names fewer. */
const PROCESSES_MAX = 50;
/** A notice shows less of a command. */
const COMMAND_CHARS = 100;

const isRunning = ({ status, left_running }: ProcessSummary): boolean => status === "running" || left_running > 0;

const entryOf = ({ process_id, command }: ProcessSummary): RunningProcess => ({
  process_id,
  command: command.slice(0, COMMAND_CHARS),
});
