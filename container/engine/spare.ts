// One machine made ahead of need, its runner already up, so that the first command in a new sandbox is nearly a warm one.
// A spare is handed out once, to a caller whose environment is the very one that it was made with.

import { SPARE_DELAY_MS } from "./limits.ts";
import { type Machine, type MachineHost, startMachine } from "./machine.ts";

export class SpareMachine {
  readonly #host: MachineHost;
  #ready: { readonly key: string; readonly machine: Machine } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #making: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(host: MachineHost) {
    this.#host = host;
  }

  /** The spare, if it fits and lives; from then on it is the caller's. Otherwise a new machine. */
  async take(environment: Record<string, string>): Promise<Machine> {
    const spare = this.#ready;
    if (spare?.key !== keyOf(environment)) return startMachine(this.#host, environment);
    this.#ready = undefined;
    return spare.machine;
  }

  /** Makes a spare for `environment` in a while, unless there is one. */
  prepare(environment: Record<string, string>, delayMs = SPARE_DELAY_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#making = this.#making.then(() => this.#make(environment));
    }, delayMs);
  }

  /** Ends the spare and makes no other. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#making;
    this.#ready?.machine.kill();
    await this.#ready?.machine.removed;
  }

  async #make(environment: Record<string, string>): Promise<void> {
    const key = keyOf(environment);
    if (this.#closed || this.#ready?.key === key) return;
    this.#ready?.machine.kill();
    this.#ready = undefined;
    try {
      const machine = await startMachine(this.#host, environment);
      const spare = { key, machine };
      this.#ready = spare;
      void machine.ended.then(() => {
        if (this.#ready === spare) this.#ready = undefined;
      });
    } catch {
      // The next machine asked for fails the same way, and says why to whoever asked.
    }
  }
}

const keyOf = (environment: Record<string, string>): string => JSON.stringify(Object.entries(environment).sort());
