// The names that a machine has looked up, each with an address of its own. A connection to that address is one to the name,
// which is resolved when, and only when, the request is sent on.

/** 198.18.0.0/15 is reserved for benchmarks between networks, so that it hides no real host. */
const FIRST_ADDRESS = 198 * 2 ** 24 + 18 * 2 ** 16 + 256;
/** A bound is needed, because a machine can look up names without end; no program uses so many while an answer is valid. */
const NAMES_MAX = 2 ** 15;

export class SyntheticNames {
  readonly #addressOf = new Map<string, string>();
  readonly #nameOf = new Map<string, string>();
  #next = 0;

  /** Always the same for one name, until `NAMES_MAX` others have been looked up. */
  addressOf(name: string): string {
    const known = this.#addressOf.get(name);
    if (known !== undefined) return known;
    const address = dotted(FIRST_ADDRESS + this.#next);
    this.#next = (this.#next + 1) % NAMES_MAX;
    const previous = this.#nameOf.get(address);
    if (previous !== undefined) this.#addressOf.delete(previous);
    this.#addressOf.set(name, address);
    this.#nameOf.set(address, name);
    return address;
  }

  /** The name of a synthetic address, or the address itself. */
  hostOf(address: string): string {
    return this.#nameOf.get(address) ?? address;
  }
}

const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
