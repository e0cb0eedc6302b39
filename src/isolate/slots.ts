// How many isolates run at once in this Worker: those over the limit wait in line. A request whose client has gone may never
// get to its `finally`, so a slot is also free again when the run that took it must long be over.

import { limits } from "../contract/limits.ts";

interface Slot {
  /** Epoch milliseconds. */
  until: number;
}

interface Waiting {
  until: number;
  start: (slot: Slot) => void;
}

const graceMs = 5_000;

export class Slots {
  readonly #taken = new Set<Slot>();
  readonly #line = new Set<Waiting>();
  readonly #max: number;

  constructor(max: number = limits.isolatesAtOnce) {
    this.#max = max;
  }

  /** Null where none came free before `deadline`, or before `signal` aborted. */
  async take(deadline: number, signal: AbortSignal): Promise<Slot | null> {
    this.#sweep();
    if (this.#taken.size < this.#max && this.#line.size === 0) return this.#give({ until: deadline });
    const { promise, resolve } = Promise.withResolvers<Slot | null>();
    const waiting: Waiting = { until: deadline, start: resolve };
    this.#line.add(waiting);
    const giveUp = () => {
      this.#line.delete(waiting);
      resolve(null);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    const timer = setTimeout(giveUp, Math.max(0, deadline - Date.now()));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    }
  }

  release(slot: Slot): void {
    this.#taken.delete(slot);
    for (const waiting of this.#line) {
      if (this.#taken.size >= this.#max) return;
      this.#line.delete(waiting);
      waiting.start(this.#give({ until: waiting.until }));
    }
  }

  #give(slot: Slot): Slot {
    this.#taken.add(slot);
    return slot;
  }

  #sweep(): void {
    for (const slot of this.#taken) if (slot.until + graceMs < Date.now()) this.release(slot);
  }
}
