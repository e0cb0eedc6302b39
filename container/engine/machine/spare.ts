// One machine made ahead of need, its runner already up, so that the first command in a new sandbox is nearly a warm one.
// A spare is handed out once, to a caller whose environment is the very one that it was made with.

import { SPARE_DELAY_MS } from "../limits.ts";
import type { MachineHost } from "./engine-config.ts";
import { startMachine } from "./engine-machine.ts";
import type { Machine } from "./running-machine.ts";

/** Where the environment of the last machine is kept, so that a new engine has a spare before it is first asked. */
export interface SpareMemory {
  read(): Record<string, string> | undefined;
  write(environment: Record<string, string>): void;
}

export class SpareMachine {
  readonly #host: MachineHost;
  readonly #memory: SpareMemory;
  /** Whoever takes it out of here owns it; there is no other way to it. */
  #spare: { readonly key: string; readonly machine: Promise<Machine | undefined> } | undefined;
  readonly #replaced = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(host: MachineHost, memory: SpareMemory) {
    this.#host = host;
    this.#memory = memory;
    const last = memory.read();
    if (last !== undefined) this.#make(last);
  }

  /** The spare, if it fits and lives, or else a new machine; from then on it is the caller's. */
  async take(environment: Record<string, string>): Promise<Machine> {
    const spare = this.#spare;
    if (spare?.key === keyOf(environment)) {
      this.#spare = undefined;
      const machine = await spare.machine;
      if (machine?.isUp) return machine;
    }
    return startMachine(this.#host, environment);
  }

  /** Makes a spare for `environment` in a while, unless there is one by then. */
  prepare(environment: Record<string, string>): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#make(environment), SPARE_DELAY_MS);
  }

  /** Ends the spare and makes no other. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#drop();
    await Promise.all(this.#replaced);
  }

  #make(environment: Record<string, string>): void {
    const key = keyOf(environment);
    if (this.#closed || this.#spare?.key === key) return;
    this.#drop();
    // When it cannot be made, neither can the next one that is asked for, and whoever asks is told why.
    const machine = startMachine(this.#host, environment).catch(() => undefined);
    const spare = { key, machine };
    this.#spare = spare;
    void machine.then(async (made) => {
      if (made !== undefined) this.#memory.write(environment);
      await made?.ended;
      if (this.#spare === spare) this.#spare = undefined;
    });
  }

  /** Ends the spare that is there. */
  #drop(): void {
    const gone = this.#spare?.machine.then(async (machine) => {
      machine?.kill();
      await machine?.removed;
    });
    this.#spare = undefined;
    if (gone === undefined) return;
    this.#replaced.add(gone);
    void gone.then(() => this.#replaced.delete(gone));
  }
}

const keyOf = (environment: Record<string, string>): string => JSON.stringify(Object.entries(environment).sort());
