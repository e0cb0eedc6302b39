// What a sandbox needs from the platform that runs its machine. Nothing else in src/sandbox depends on the platform: to run
// machines another way, replace the one implementation (container-platform.ts) and the Durable Object class that uses it.

/**
 * Runs one machine at a time. The platform reports three events by calling methods of the Durable Object: the machine was idle
 * for the sleep time, a scheduled time has come, or the machine has ended for whatever reason.
 */
export interface MachinePlatform {
  /**
   * True from the start of a machine until it has ended, including while it cannot be reached yet and while it is shutting down.
   */
  readonly isRunning: boolean;
  /**
   * Starts a machine, and resolves when the port of its runner is open. Must be called only when none is running. Rejects with
   * the platform's own error; start-with-retries.ts decides which errors to retry.
   */
  start(): Promise<void>;
  /** Asks the machine to shut down, and resolves before it has. */
  stop(): Promise<void>;
  /** Kills the machine. */
  kill(): Promise<void>;
  /** A port of the machine. Its `fetch` rejects when the connection is refused or breaks. */
  port(port: number): MachinePort;
  /** Restarts the sleep timer. */
  renewActivity(): void;
  /** Sets the sleep time, which applies from the next renewal. It is rounded up to whole seconds. */
  setSleepAfter(ms: number): void;
  /** Makes the platform check soon whether the sleep time is over, instead of at its next planned check. */
  checkActivitySoon(): Promise<void>;
  /** Reports a scheduled time after `ms`, rounded up to whole seconds, even if the Durable Object has been reset by then. */
  schedule(ms: number): void;
  /** Keeps the Durable Object alive until the work has settled. */
  waitUntil(work: Promise<unknown>): void;
}

/** The part of Cloudflare's `Fetcher` that is used. */
export interface MachinePort {
  fetch(url: string, init: RequestInit): Promise<Response>;
}
