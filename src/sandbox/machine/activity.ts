// Tracks the current use of a sandbox, and when it was last used.

import { once } from "../once.ts";
import type { MachinePlatform } from "./machine-platform.ts";

export class Activity {
  readonly #platform: Pick<MachinePlatform, "renewActivity">;
  #callsInFlight = 0;
  #callCount = 0;
  #trafficInFlight = 0;
  #lastAt = Date.now();
  #usedAt: number | null = null;

  constructor(platform: Pick<MachinePlatform, "renewActivity">) {
    this.#platform = platform;
  }

  get callsInFlight(): number {
    return this.#callsInFlight;
  }

  /** Grows with every call and every request to a preview. */
  get callCount(): number {
    return this.#callCount;
  }

  /** Requests to previews that are still streaming, and open WebSockets. */
  get trafficInFlight(): number {
    return this.#trafficInFlight;
  }

  get idleMs(): number {
    return Date.now() - this.#lastAt;
  }

  /** When the sandbox was last used since this object was created, in epoch milliseconds; null if it was not. */
  get usedAt(): number | null {
    return this.#usedAt;
  }

  /** Counts a call as in flight until the returned function is called. */
  beginCall(): () => void {
    this.#callsInFlight += 1;
    this.#callCount += 1;
    this.touch();
    return once(() => {
      this.#callsInFlight -= 1;
      this.touch();
    });
  }

  /** Counts a request to a preview as in flight until the returned function is called. */
  beginTraffic(): () => void {
    this.#trafficInFlight += 1;
    this.#callCount += 1;
    this.touch();
    return once(() => {
      this.#trafficInFlight -= 1;
      this.touch();
    });
  }

  touch(): void {
    this.#lastAt = Date.now();
    this.#usedAt = this.#lastAt;
    this.#platform.renewActivity();
  }
}
