// A platform whose machine is a real runner on this host, with the faults of a real platform: no machine available, slow to stop, broken.

import { RUNNER_PORT } from "../../src/contract/operation.ts";
import type { MachinePlatform, MachinePort } from "../../src/sandbox/machine/machine-platform.ts";

interface FakePlatformOptions {
  /** Where the runner answers. */
  url: string;
  /** The errors with which the next starts end, one after the other. */
  startErrors?: Error[];
  /** How long a machine takes to end after it was asked to. */
  stopMs?: number;
}

export class FakePlatform implements MachinePlatform {
  /** What was asked of the platform, in order. */
  readonly log: string[] = [];
  /** After how many milliseconds something was scheduled, in order. */
  readonly scheduled: number[] = [];
  /** The paths of the requests to the machine, in order. */
  readonly requests: string[] = [];
  sleepAfterMs = 0;
  url: string;
  /** Set to make every request fail as a broken connection does. */
  isBroken = false;
  /** Resolves before the next start goes on. */
  startsAfter: Promise<void> = Promise.resolve();
  readonly #startErrors: Error[];
  readonly #stopMs: number;
  readonly #background: Promise<unknown>[] = [];
  isRunning = false;

  constructor({ url, startErrors = [], stopMs = 0 }: FakePlatformOptions) {
    this.url = url;
    this.#startErrors = startErrors;
    this.#stopMs = stopMs;
  }

  async start(): Promise<void> {
    this.log.push("start");
    const error = this.#startErrors.shift();
    if (error !== undefined) throw error;
    await this.startsAfter;
    this.isRunning = true;
  }

  async stop(): Promise<void> {
    this.log.push("stop");
    setTimeout(() => {
      this.isRunning = false;
      this.log.push("gone");
    }, this.#stopMs);
  }

  async kill(): Promise<void> {
    this.log.push("kill");
    this.isRunning = false;
  }

  port(port: number): MachinePort {
    return {
      fetch: async (target, init) => {
        if (this.isBroken || port !== RUNNER_PORT) throw new Error("Network connection lost.");
        this.requests.push(new URL(target).pathname);
        // Node sends a stream only in half-duplex mode.
        return fetch(target.replace("http://runner", this.url), { ...init, duplex: "half" } as RequestInit);
      },
    };
  }

  renewActivity(): void {
    this.log.push("renew");
  }

  setSleepAfter(ms: number): void {
    this.sleepAfterMs = ms;
  }

  async checkActivitySoon(): Promise<void> {
    this.log.push("check");
  }

  schedule(ms: number): void {
    this.scheduled.push(ms);
  }

  waitUntil(work: Promise<unknown>): void {
    this.#background.push(work);
  }

  /** Settles when everything that was to be kept alive has. */
  async settled(): Promise<void> {
    while (this.#background.length > 0) await Promise.all(this.#background.splice(0));
  }
}
