// Implements the platform with the `Container` base class of @cloudflare/containers. That class does not count calls to a port as
// activity, so the sandbox renews it. It owns the alarm of the Durable Object, so everything is scheduled through it.

import type { Container } from "@cloudflare/containers";
import { limits } from "../../contract/limits.ts";
import { RUNNER_PORT } from "../../contract/operation.ts";
import type { MachinePlatform, MachinePort } from "./machine-platform.ts";

export class ContainerPlatform implements MachinePlatform {
  readonly #object: Container;
  readonly #ctx: DurableObjectState<object>;

  constructor(object: Container, ctx: DurableObjectState<object>) {
    this.#object = object;
    this.#ctx = ctx;
  }

  get isRunning(): boolean {
    return this.#container.running;
  }

  async start(): Promise<void> {
    // Two steps: the first polls the platform, which is slow, and the second polls only the machine, which can be polled often.
    await this.#object.start();
    await this.#object.waitForPort({
      portToCheck: RUNNER_PORT,
      retries: Math.ceil(limits.machineStartMs / limits.portPollMs),
      waitInterval: limits.portPollMs,
    });
  }

  stop(): Promise<void> {
    return this.#object.stop();
  }

  kill(): Promise<void> {
    return this.#object.destroy();
  }

  port(port: number): MachinePort {
    return this.#container.getTcpPort(port);
  }

  renewActivity(): void {
    this.#object.renewActivityTimeout();
  }

  setSleepAfter(ms: number): void {
    this.#object.sleepAfter = Math.max(1, Math.ceil(ms / 1000));
  }

  checkActivitySoon(): Promise<void> {
    return this.#object.scheduleNextAlarm();
  }

  schedule(ms: number): void {
    // The base class stores the name of the method to call, so this method of SandboxObject must keep its name.
    this.#ctx.waitUntil(this.#object.schedule(Math.ceil(ms / 1000), "checkpointWhenDue"));
  }

  waitUntil(work: Promise<unknown>): void {
    this.#ctx.waitUntil(work);
  }

  get #container() {
    if (this.#ctx.container === undefined) throw new Error("No container is configured for this class");
    return this.#ctx.container;
  }
}
