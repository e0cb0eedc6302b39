// What a sandbox needs of the platform that runs its machine. Nothing else in src/sandbox knows the platform, so that another way
// to run machines replaces the one implementation (container-platform.ts) and the class of the Durable Object that it serves.

/**
 * One machine at a time. The platform reports three events by calling methods of the Durable Object: that the machine has not been
 * used for the sleep time, that a scheduled moment has come, and that the machine has ended, whatever ended it.
 */
export interface MachinePlatform {
  /** True from the start of a machine until it has ended: also before it can be reached, and while it is ending. */
  readonly isRunning: boolean;
  /**
   * Starts a machine, and resolves when the port of its runner is open. To be called only when none is running. Rejects with the
   * platform's own error; start-with-retries.ts knows which of them are worth another attempt.
   */
  start(): Promise<void>;
  /** Asks the machine to end, and resolves before it has. */
  stop(): Promise<void>;
  /** Ends the machine by force. */
  kill(): Promise<void>;
  /** A port of the machine. Its `fetch` rejects when the connection is refused or breaks. */
  port(port: number): MachinePort;
  /** Starts the sleep time anew. */
  renewActivity(): void;
  /** Sets the sleep time, from the next renewal on. Rounded up to seconds. */
  setSleepAfter(ms: number): void;
  /** Has the platform check soon whether the sleep time is over: its next check may be set for a later moment. */
  checkActivitySoon(): Promise<void>;
  /** Reports the scheduled moment after `ms`, rounded up to seconds, also when the Durable Object has been reset by then. */
  schedule(ms: number): void;
  /** Keeps the Durable Object alive until the work has settled. */
  waitUntil(work: Promise<unknown>): void;
}

/** The part of Cloudflare's `Fetcher` that is used. */
export interface MachinePort {
  fetch(url: string, init: RequestInit): Promise<Response>;
}
