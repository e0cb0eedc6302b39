// Tracks whether the machine may have files that are not stored, and since when. It counts the calls that can change files; what
// a running process writes is found only by taking a checkpoint.

export class ChangeTracker {
  // It is not known what an earlier instance of this object stored, so the files count as changed at first.
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

  /** Counts a change. `startsPeriod` is true when no checkpoint of earlier changes is scheduled. */
  record({ startsPeriod }: { startsPeriod: boolean }): void {
    this.#lastAt = Date.now();
    if (!this.hasUnstored || startsPeriod) this.#firstAt = this.#lastAt;
    this.#changes += 1;
  }

  /** Must be read before files are stored: changes made while they are being stored count as not stored. */
  get mark(): number {
    return this.#changes;
  }

  /** Records that everything up to the mark is stored. */
  markStored(mark: number): void {
    this.#storedChanges = mark;
    this.#firstAt = Date.now();
  }

  /** Records that the machine has exactly the stored files. */
  reset(): void {
    this.#storedChanges = this.#changes;
  }
}
