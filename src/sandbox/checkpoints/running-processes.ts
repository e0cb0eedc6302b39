// Remembers which processes run, beyond the life of a machine, so that a notice can name what was lost.

import type { ProcessSummary } from "../../contract/process.ts";
import type { RunningProcess } from "./restart-notice.ts";

const KEY = "running_processes";
/** Enough to name; the command is cut where a notice would. */
const MOST = 50;
const COMMAND_CHARS = 100;

export class RunningProcesses {
  readonly #kv: SyncKvStorage;
  #known: RunningProcess[];

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    this.#known = kv.get<RunningProcess[]>(KEY) ?? [];
  }

  list(): readonly RunningProcess[] {
    return this.#known;
  }

  /** What an answer of the runner says of one process. */
  note(process: ProcessSummary): void {
    const others = this.#known.filter(({ process_id }) => process_id !== process.process_id);
    if (runs(process)) this.#save([...others, entryOf(process)]);
    else if (others.length < this.#known.length) this.#save(others);
  }

  /** All there are. */
  replace(processes: readonly ProcessSummary[]): void {
    this.#save(processes.filter(runs).map(entryOf));
  }

  #save(processes: RunningProcess[]): void {
    const next = processes.slice(-MOST);
    if (JSON.stringify(next) === JSON.stringify(this.#known)) return;
    this.#known = next;
    this.#kv.put(KEY, next);
  }
}

const runs = ({ status, left_running }: ProcessSummary): boolean => status === "running" || left_running > 0;

const entryOf = ({ process_id, command }: ProcessSummary): RunningProcess => ({
  process_id,
  command: command.slice(0, COMMAND_CHARS),
});
