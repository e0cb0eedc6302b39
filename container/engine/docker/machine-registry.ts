// The machines that are up, by the names of their containers, and where workerd listens for what each one sends out. workerd
// announces that before or after the machine starts.

import type { Socket } from "node:net";
import type { EngineMachine } from "../machine/engine-machine.ts";

/** Where workerd takes what one machine sends out: a port of 127.0.0.1. */
export interface EgressListener {
  port: number;
  /**
   * The only host name for which workerd does anything with a connection. It is a secret between workerd and the engine, because every
   * user of the host can connect to the port. Null when workerd takes every name.
   */
  hostname: string | null;
}

export class MachineRegistry {
  readonly #machines = new Map<string, EngineMachine>();
  readonly #egress = new Map<string, EgressListener>();

  /** The machine is removed from here when it ends. */
  add(name: string, machine: EngineMachine): void {
    this.#machines.set(name, machine);
    void machine.ended.then(() => {
      if (this.#machines.get(name) === machine) this.#machines.delete(name);
    });
  }

  /** A connection to a port of a machine. Rejects when the machine is not up or nothing listens there. */
  async connect(name: string, port: number): Promise<Socket> {
    const machine = this.#machines.get(name);
    if (machine === undefined) throw new Error(`Machine '${name}' is not running`);
    return machine.connect(port);
  }

  egress(name: string): EgressListener | undefined {
    return this.#egress.get(name);
  }

  /** Undefined when workerd no longer listens. */
  setEgress(name: string, listener: EgressListener | undefined): void {
    if (listener === undefined) this.#egress.delete(name);
    else this.#egress.set(name, listener);
  }
}
