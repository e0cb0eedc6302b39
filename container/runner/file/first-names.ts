// Keeps the first names in byte order of all that are added, in memory for those alone.

export class FirstNames {
  readonly #most: number;
  #names: Buffer[] = [];
  /** The last name that still counts, once there are more than enough. */
  #bound: Buffer | undefined;
  /** How many names were added. */
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(name: Buffer): void {
    this.count += 1;
    if (this.#bound !== undefined && Buffer.compare(name, this.#bound) > 0) return;
    this.#names.push(name);
    if (this.#names.length < 2 * this.#most + SLACK) return;
    this.#names = this.sorted();
    this.#bound = this.#names.at(-1);
  }

  sorted(): Buffer[] {
    return this.#names.sort(Buffer.compare).slice(0, this.#most);
  }
}

/** Sorting is put off until it drops at least so many names. */
const SLACK = 1_000;
