// The machines that are up, by the names of their containers, and the ports where workerd listens for what each one sends
// out. workerd announces a port before or after the machine starts.

import type { Socket } from "node:net";
import type { EngineMachine } from "../machine/engine-machine.ts";

export class MachineRegistry {
  readonly #machines = new Map<string, EngineMachine>();
  readonly #egressPorts = new Map<string, number>();

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

  egressPort(name: string): number | undefined {
    return this.#egressPorts.get(name);
  }

  /** Undefined when workerd no longer listens. */
  setEgressPort(name: string, port: number | undefined): void {
    if (port === undefined) this.#egressPorts.delete(name);
    else this.#egressPorts.set(name, port);
  }
}
