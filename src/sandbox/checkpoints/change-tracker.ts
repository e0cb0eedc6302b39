// Tracks whether the machine may have files that are not stored, and since when. It counts the calls that can change files; what
// a running process writes is found only by taking a checkpoint. The time outlives this object, so that a restart of the Worker
// does not put off a checkpoint.

import type { KeyValues } from "../storage/key-values.ts";

export class ChangeTracker {
  readonly #kv: KeyValues;
  // It is not known whether an earlier instance of this object stored everything, so the files count as changed at first.
  #changes = 1;
  #storedChanges = 0;
  #firstAt: number;
  /** The time of the first change after each mark that was read; null while there is none. */
  readonly #firstAfter = new Map<number, number | null>();

  constructor(kv: KeyValues) {
    this.#kv = kv;
    this.#firstAt = kv.get<number>(KEY) ?? Date.now();
  }

  get hasUnstored(): boolean {
    return this.#changes !== this.#storedChanges;
  }

  /** Epoch milliseconds of the first change that is not stored; null when there is none. */
  get since(): number | null {
    return this.hasUnstored ? this.#firstAt : null;
  }

  record(): void {
    const now = Date.now();
    if (!this.hasUnstored) this.#firstAt = now;
    if (this.#firstAfter.get(this.#changes) === null) this.#firstAfter.set(this.#changes, now);
    this.#changes += 1;
    this.#save();
  }

  /** Must be read before files are stored: changes made while they are being stored count as not stored. */
  get mark(): number {
    if (!this.#firstAfter.has(this.#changes)) this.#firstAfter.set(this.#changes, null);
    return this.#changes;
  }

  /** Records that everything up to the mark is stored. */
  markStored(mark: number): void {
    this.#storedChanges = Math.max(this.#storedChanges, mark);
    this.#firstAt = this.#firstAfter.get(mark) ?? Date.now();
    this.#settle();
  }

  /** Records that the machine has exactly the stored files. */
  reset(): void {
    this.#storedChanges = this.#changes;
    this.#settle();
  }

  #settle(): void {
    for (const mark of this.#firstAfter.keys()) if (mark <= this.#storedChanges) this.#firstAfter.delete(mark);
    this.#save();
  }

  #save(): void {
    if (!this.hasUnstored) this.#kv.delete(KEY);
    else if (this.#kv.get<number>(KEY) !== this.#firstAt) this.#kv.put(KEY, this.#firstAt);
  }
}

const KEY = "unstored_since";
