// Records which processes run, beyond the life of a machine, so that a notice can name those that were lost.

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

  /** Records one process as an answer of the runner describes it. */
  trackProcess(process: ProcessSummary): void {
    const others = this.#known.filter(({ process_id }) => process_id !== process.process_id);
    if (isRunning(process)) this.#save([...others, entryOf(process)]);
    else if (others.length < this.#known.length) this.#save(others);
  }

  /** Records the given processes in place of all others. */
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
/** More than a notice names. */
const PROCESSES_MAX = 50;
/** More than a notice shows of a command. */
const COMMAND_CHARS = 100;

const isRunning = ({ status, left_running }: ProcessSummary): boolean => status === "running" || left_running > 0;

const entryOf = ({ process_id, command }: ProcessSummary): RunningProcess => ({
  process_id,
  command: command.slice(0, COMMAND_CHARS),
});
