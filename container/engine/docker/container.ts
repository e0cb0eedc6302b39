// A container as Docker's API knows it: a name, a state and an exit code around something that runs, which is a machine or
// the sidecar through which workerd reaches one.

import type { ContainerSpec } from "./container-spec.ts";

/** What runs inside a container. */
export interface Workload {
  /** The exit code. Resolves when nothing of it runs any more; never rejects. */
  readonly ended: Promise<number>;
  signal(name: NodeJS.Signals): Promise<void>;
  kill(): void;
  /** Published ports, in the form of Docker's NetworkSettings.Ports. */
  readonly ports: Record<string, { HostIp: string; HostPort: string }[]>;
}

export type ContainerState = "created" | "running" | "exited";

export class Container {
  readonly name: string;
  readonly spec: ContainerSpec;
  readonly #launch: () => Promise<Workload>;
  #starting: Promise<void> | undefined;
  #workload: Workload | undefined;
  #state: ContainerState = "created";
  #exitCode = 0;
  #exitWaiters: ((code: number) => void)[] = [];
  #isDeleted = false;

  constructor(name: string, spec: ContainerSpec, launch: () => Promise<Workload>) {
    this.name = name;
    this.spec = spec;
    this.#launch = launch;
  }

  get state(): ContainerState {
    return this.#state;
  }

  /** Resolves to false when it is running already. Rejects when it cannot be started. */
  async start(): Promise<boolean> {
    if (this.#state === "running") return false;
    if (this.#starting !== undefined) {
      await this.#starting;
      return false;
    }
    this.#starting = this.#run();
    try {
      await this.#starting;
    } finally {
      this.#starting = undefined;
    }
    return true;
  }

  /** Resolves to the exit code: at once if it has exited and `condition` is "not-running", else at its next exit. */
  wait(condition: string): Promise<number> {
    if (condition === "not-running" && this.#state === "exited") return Promise.resolve(this.#exitCode);
    return new Promise((resolve) => this.#exitWaiters.push(resolve));
  }

  /** False when it is not running. SIGKILL ends it; any other signal goes to the runner. */
  signal(name: NodeJS.Signals): boolean {
    const workload = this.#workload;
    if (workload === undefined) return false;
    if (name === "SIGKILL") workload.kill();
    // Not awaited: a suspended runner receives no signals until it continues.
    else workload.signal(name).catch(() => workload.kill());
    return true;
  }

  /** Sends SIGTERM, then SIGKILL after `graceMs`. Resolves when it has ended, to false when it was not running. */
  async stop(graceMs: number): Promise<boolean> {
    const workload = this.#workload;
    if (workload === undefined) return false;
    const timer = setTimeout(() => workload.kill(), graceMs);
    this.signal("SIGTERM");
    await workload.ended;
    clearTimeout(timer);
    return true;
  }

  /** Ends it and resolves when nothing of it runs. Its files are removed in the background. */
  async delete(): Promise<void> {
    this.#isDeleted = true;
    await this.#starting?.catch(() => undefined);
    this.#workload?.kill();
    await this.#workload?.ended;
    for (const resolve of this.#exitWaiters.splice(0)) resolve(this.#exitCode);
  }

  inspect(): object {
    const running = this.#state === "running";
    return {
      Id: this.name,
      Name: `/${this.name}`,
      Image: this.spec.Image,
      Config: { Image: this.spec.Image, Labels: this.spec.Labels, Env: this.spec.Env },
      State: {
        Status: this.#state,
        Running: running,
        Paused: false,
        Restarting: false,
        Dead: false,
        ExitCode: this.#exitCode,
      },
      NetworkSettings: { Ports: this.#workload?.ports ?? {} },
    };
  }

  async #run(): Promise<void> {
    const workload = await this.#launch();
    if (this.#isDeleted) {
      workload.kill();
      await workload.ended;
      throw new Error(`Container '${this.name}' was removed while it started`);
    }
    this.#workload = workload;
    this.#state = "running";
    void workload.ended.then((code) => {
      this.#workload = undefined;
      this.#state = "exited";
      this.#exitCode = code;
      for (const resolve of this.#exitWaiters.splice(0)) resolve(code);
    });
  }
}
