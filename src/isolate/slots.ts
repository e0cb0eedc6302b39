// Limits how many isolates of one principal run at once in this Worker; further runs queue. When a client disconnects, its request may never
// reach its `finally`, so a slot is also reclaimed once the run that took it must have ended.

import { limits } from "../contract/limits.ts";

interface Slot {
  /** The deadline of its run, in epoch milliseconds. */
  until: number;
}

interface Waiter {
  until: number;
  start: (slot: Slot) => void;
}

/** A slot is reclaimed this long after the deadline of its run. */
const graceMs = 5_000;

export class Slots {
  readonly #taken = new Set<Slot>();
  readonly #queue = new Set<Waiter>();
  readonly #max: number;

  constructor(max: number = limits.isolatesAtOnce) {
    this.#max = max;
  }

  /** Null when no slot became free before `deadline`, or before `signal` aborted. */
  async take(deadline: number, signal: AbortSignal): Promise<Slot | null> {
    this.#reclaim();
    if (this.#taken.size < this.#max && this.#queue.size === 0) return this.#occupy({ until: deadline });
    const { promise, resolve } = Promise.withResolvers<Slot | null>();
    const waiter: Waiter = { until: deadline, start: resolve };
    this.#queue.add(waiter);
    const giveUp = () => {
      this.#queue.delete(waiter);
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
    for (const waiter of this.#queue) {
      if (this.#taken.size >= this.#max) return;
      this.#queue.delete(waiter);
      waiter.start(this.#occupy({ until: waiter.until }));
    }
  }

  #occupy(slot: Slot): Slot {
    this.#taken.add(slot);
    return slot;
  }

  #reclaim(): void {
    for (const slot of this.#taken) if (slot.until + graceMs < Date.now()) this.release(slot);
  }
}
