// One machine made ahead of need, its runner already up, so that the first command in a new sandbox is nearly a warm one.
// It is given away once, to a caller whose environment equals the one that it was made with.

import { SPARE_DELAY_MS } from "../limits.ts";
import type { EngineConfig } from "./engine-config.ts";
import type { EngineMachine } from "./engine-machine.ts";
import type { SpareEnvironment } from "./spare-environment.ts";
import { startMachine } from "./start-machine.ts";

export class SpareMachine {
  readonly #config: EngineConfig;
  readonly #lastEnvironment: SpareEnvironment;
  /** take() removes it from here: nothing else can reach a machine that was given away. */
  #spare: { readonly key: string; readonly machine: Promise<EngineMachine | undefined> } | undefined;
  readonly #ending = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(config: EngineConfig, lastEnvironment: SpareEnvironment) {
    this.#config = config;
    this.#lastEnvironment = lastEnvironment;
    const environment = lastEnvironment.read();
    if (environment !== undefined) this.#make(environment);
  }

  /** The spare, if it fits and is up, else a new machine. The caller owns it from then on. */
  async take(environment: Record<string, string>): Promise<EngineMachine> {
    const spare = this.#spare;
    if (spare?.key === keyOf(environment)) {
      this.#spare = undefined;
      const machine = await spare.machine;
      if (machine?.isUp) return machine;
    }
    return startMachine(this.#config, environment);
  }

  /** Makes a spare for `environment` after a delay, unless there is one by then. */
  prepare(environment: Record<string, string>): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#make(environment), SPARE_DELAY_MS);
  }

  /** Ends the spare and makes no other. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#endSpare();
    await Promise.all(this.#ending);
  }

  #make(environment: Record<string, string>): void {
    const key = keyOf(environment);
    if (this.#isClosed || this.#spare?.key === key) return;
    this.#endSpare();
    // A machine that is asked for fails for the same reason as the spare, and its caller gets the error.
    const machine = startMachine(this.#config, environment).catch(() => undefined);
    const spare = { key, machine };
    this.#spare = spare;
    void machine.then(async (made) => {
      if (made !== undefined) this.#lastEnvironment.write(environment);
      await made?.ended;
      if (this.#spare === spare) this.#spare = undefined;
    });
  }

  #endSpare(): void {
    const ended = this.#spare?.machine.then(async (machine) => {
      machine?.kill();
      await machine?.removed;
    });
    this.#spare = undefined;
    if (ended === undefined) return;
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
  }
}

const keyOf = (environment: Record<string, string>): string => JSON.stringify(Object.entries(environment).sort());
