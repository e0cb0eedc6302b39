// Whether the machine may have files that are not stored, and since when. Changes are counted by the calls that can make them; what
// a running process writes is found only by taking a checkpoint.

export class ChangeTracker {
  // What an object before this one stored is not known, so its files count as changed.
  #changes = 1;
  #storedChanges = 0;
  #firstAt = Date.now();
  #lastAt = Date.now();

  get hasUnstored(): boolean {
    return this.#changes !== this.#storedChanges;
  }

  /** Epoch milliseconds of the first change that is not stored. */
  get firstAt(): number {
    return this.#firstAt;
  }

  /** Epoch milliseconds of the last change. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** Counts a change. `startsPeriod` when no checkpoint is scheduled that would store earlier changes. */
  record({ startsPeriod }: { startsPeriod: boolean }): void {
    this.#lastAt = Date.now();
    if (!this.hasUnstored || startsPeriod) this.#firstAt = this.#lastAt;
    this.#changes += 1;
  }

  /** To be taken before files are stored: changes that come while they are stay unstored. */
  get mark(): number {
    return this.#changes;
  }

  /** Everything up to the mark is stored. */
  markStored(mark: number): void {
    this.#storedChanges = mark;
    this.#firstAt = Date.now();
  }

  /** The machine has exactly the files that are stored. */
  reset(): void {
    this.#storedChanges = this.#changes;
  }
}
