// The containers of an engine by name, and what each name stands for: `NAME` is a machine, `NAME-proxy` the sidecar that
// leads to it.

import type { CertificateAuthority } from "../egress/certificate-authority.ts";
import { sendOut } from "../egress/gateway.ts";
import type { MachineHost } from "../machine/engine-config.ts";
import type { Machine } from "../machine/running-machine.ts";
import { SpareMachine, type SpareMemory } from "../machine/spare.ts";
import { Container, type Workload } from "./container.ts";
import { type ContainerSpec, environmentOf } from "./container-spec.ts";
import { startSidecar } from "./sidecar.ts";

export class ContainerTable {
  readonly #containers = new Map<string, Container>();
  readonly #machines = new Map<string, Machine>();
  readonly #removals = new Set<Promise<void>>();
  readonly #spare: SpareMachine;
  readonly #authority: CertificateAuthority;
  /** Of each machine by name: where workerd listens for what it sends out. The sidecar is told, before or after its machine starts. */
  readonly #egressPorts = new Map<string, number>();
  #closed = false;

  constructor(host: MachineHost, { authority, memory }: { authority: CertificateAuthority; memory: SpareMemory }) {
    this.#authority = authority;
    this.#spare = new SpareMachine(host, memory);
  }

  get(name: string): Container | undefined {
    return this.#containers.get(name);
  }

  /** Undefined when the name is taken. */
  create(name: string, spec: ContainerSpec): Container | undefined {
    if (this.#closed || this.#containers.has(name)) return undefined;
    const launch = name.endsWith(SIDECAR_SUFFIX)
      ? () => this.#launchSidecar(name.slice(0, -SIDECAR_SUFFIX.length))
      : () => this.#launchMachine(name, environmentOf(spec));
    const container = new Container(name, spec, launch);
    this.#containers.set(name, container);
    return container;
  }

  /** The name is free again once nothing of the container runs. */
  async delete(container: Container): Promise<void> {
    await container.delete();
    if (this.#containers.get(container.name) === container) this.#containers.delete(container.name);
  }

  /** Asks every machine to end, which lets its files be stored, and waits for that at most `ms`. No other is started. */
  async windDown(ms: number): Promise<void> {
    this.#closed = true;
    const machines = [...this.#containers.values()].filter(({ name }) => !name.endsWith(SIDECAR_SUFFIX));
    await Promise.all([this.#spare.close(), ...machines.map((machine) => machine.stop(ms))]);
  }

  /** Ends everything; resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([
      this.#spare.close(),
      ...[...this.#containers.values()].map((container) => this.delete(container)),
    ]);
    await Promise.all(this.#removals);
  }

  async #launchMachine(name: string, environment: Record<string, string>): Promise<Workload> {
    const machine = await this.#spare.take(environment);
    this.#spare.prepare(environment);
    this.#machines.set(name, machine);
    const gateway = { authority: this.#authority, egressPort: () => this.#egressPorts.get(name) };
    machine.onOutgoing((outgoing) => sendOut(outgoing, gateway));
    this.#removals.add(machine.removed);
    void machine.ended.then(() => {
      if (this.#machines.get(name) === machine) this.#machines.delete(name);
    });
    void machine.removed.then(() => this.#removals.delete(machine.removed));
    return {
      ended: machine.ended,
      removed: machine.removed,
      signal: (signal) => machine.signal(signal),
      kill: () => machine.kill(),
      ports: {},
    };
  }

  async #launchSidecar(machine: string): Promise<Workload> {
    const sidecar = await startSidecar({
      authority: this.#authority.certificate,
      connect: (port) => this.#connect(machine, port),
      onEgressPort: (port) => this.#egressPorts.set(machine, port),
    });
    void sidecar.ended.then(() => this.#egressPorts.delete(machine));
    return sidecar;
  }

  async #connect(name: string, port: number) {
    const machine = this.#machines.get(name);
    if (machine === undefined) throw new Error(`Machine '${name}' does not run`);
    return machine.connect(port);
  }
}

const SIDECAR_SUFFIX = "-proxy";
