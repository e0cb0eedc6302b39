// The containers of an engine by name: `NAME` is a machine, and `NAME-proxy` is the sidecar through which workerd reaches it.

import type { CertificateAuthority } from "../egress/certificate-authority.ts";
import { sendToWorker } from "../egress/gateway.ts";
import type { SpareMachine } from "../machine/spare-machine.ts";
import { Container, type Workload } from "./container.ts";
import { type ContainerSpec, environmentOf } from "./container-spec.ts";
import { MachineRegistry } from "./machine-registry.ts";
import { startSidecar } from "./sidecar.ts";

export class ContainerTable {
  readonly #containers = new Map<string, Container>();
  readonly #machines = new MachineRegistry();
  readonly #removals = new Set<Promise<void>>();
  readonly #spare: SpareMachine;
  readonly #authority: CertificateAuthority;
  #isClosed = false;

  constructor(spare: SpareMachine, authority: CertificateAuthority) {
    this.#spare = spare;
    this.#authority = authority;
  }

  get(name: string): Container | undefined {
    return this.#containers.get(name);
  }

  /** Undefined when the name is taken, or the engine is about to end. */
  create(name: string, spec: ContainerSpec): Container | undefined {
    if (this.#isClosed || this.#containers.has(name)) return undefined;
    const launch = isSidecar(name)
      ? () => startSidecar(name.slice(0, -SIDECAR_SUFFIX.length), this.#machines, this.#authority.certificate)
      : () => this.#launchMachine(name, environmentOf(spec));
    const container = new Container(name, spec, launch);
    this.#containers.set(name, container);
    return container;
  }

  /** Resolves when nothing of the container runs; its name is free then. */
  async delete(container: Container): Promise<void> {
    await container.delete();
    if (this.#containers.get(container.name) === container) this.#containers.delete(container.name);
  }

  /** Starts no more machines, asks each one to end, so that its files can be stored, and waits for that at most `ms`. */
  async windDown(ms: number): Promise<void> {
    this.#isClosed = true;
    const machines = [...this.#containers.values()].filter(({ name }) => !isSidecar(name));
    await Promise.all([this.#spare.close(), ...machines.map((machine) => machine.stop(ms))]);
  }

  /** Ends everything. Resolves when no process, file or control group of any machine is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const containers = [...this.#containers.values()];
    await Promise.all([this.#spare.close(), ...containers.map((container) => this.delete(container))]);
    await Promise.all(this.#removals);
  }

  async #launchMachine(name: string, environment: Record<string, string>): Promise<Workload> {
    const machine = await this.#spare.take(environment);
    this.#spare.prepare(environment);
    this.#machines.add(name, machine);
    const gateway = { authority: this.#authority, egress: () => this.#machines.egress(name) };
    machine.onOutgoing((connection) => sendToWorker(connection, gateway));
    this.#removals.add(machine.removed);
    void machine.removed.then(() => this.#removals.delete(machine.removed));
    return {
      ended: machine.ended,
      signal: (signal) => machine.signal(signal),
      kill: () => machine.kill(),
      ports: {},
    };
  }
}

const SIDECAR_SUFFIX = "-proxy";

const isSidecar = (name: string): boolean => name.endsWith(SIDECAR_SUFFIX);
