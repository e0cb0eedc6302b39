// Counts the wrong access keys of each client address, and says when an address has sent too many.
//
// The counts are in the memory of one instance of the Worker. Locally that is the whole server. On the platform each instance
// counts for itself, so that somebody who reaches many of them (in several data centers, or after a deploy) gets as many times the
// number of attempts: the length of the keys is what keeps them from being guessed.

import { limits } from "../contract/limits.ts";

interface Count {
  wrong: number;
  /** Epoch milliseconds. */
  endsAt: number;
}

export class WrongKeys {
  /** By address, in the order of their first wrong keys; the oldest is dropped when there are too many. */
  readonly #counts = new Map<string, Count>();

  /** How long the address has to wait until it may send another key; 0 when it may send one now. */
  waitMs(address: string, now = Date.now()): number {
    const count = this.#counts.get(address);
    return count === undefined || count.wrong < limits.wrongKeysMax ? 0 : Math.max(0, count.endsAt - now);
  }

  /** Counts a wrong key, and logs the first one of an address and the one that reaches the limit. */
  add(address: string, now = Date.now()): void {
    const known = this.#counts.get(address);
    const count =
      known !== undefined && known.endsAt > now ? known : { wrong: 0, endsAt: now + limits.wrongKeysWithinMs };
    count.wrong += 1;
    if (count !== known) {
      this.#counts.delete(address);
      this.#counts.set(address, count);
      const [oldest] = this.#counts.keys();
      if (this.#counts.size > limits.wrongKeyAddressesMax && oldest !== undefined) this.#counts.delete(oldest);
    }
    if (count.wrong === 1 || count.wrong === limits.wrongKeysMax) {
      console.warn(`Wrong access keys from ${address}: ${count.wrong}`);
    }
  }
}
