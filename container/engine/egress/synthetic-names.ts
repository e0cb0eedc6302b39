// The names that a machine has asked for, each with an address of its own: behind a connection to that address stands the
// name, which the engine looks up when, and only when, it connects.

/** 198.18.0.0/15 is for benchmarks between networks, so that nothing real is hidden by it. */
const FIRST = 198 * 2 ** 24 + 18 * 2 ** 16;
/** Kept at a time, which is more than a program asks for in the life of an answer. A machine can ask for names without end. */
const COUNT = 2 ** 15;

export class SyntheticNames {
  readonly #addressOf = new Map<string, string>();
  readonly #nameOf = new Map<string, string>();
  #next = 0;

  /** The same for the same name, until thirty thousand others have been asked for. */
  addressOf(name: string): string {
    const known = this.#addressOf.get(name);
    if (known !== undefined) return known;
    const address = dotted(FIRST + 256 + this.#next);
    this.#next = (this.#next + 1) % COUNT;
    const before = this.#nameOf.get(address);
    if (before !== undefined) this.#addressOf.delete(before);
    this.#addressOf.set(name, address);
    this.#nameOf.set(address, name);
    return address;
  }

  /** The name behind an address, or the address itself. */
  hostOf(address: string): string {
    return this.#nameOf.get(address) ?? address;
  }
}

const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
