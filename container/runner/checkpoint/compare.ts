// Walks two manifests, or a chain of them, in step. Memory does not grow with the number of entries.

import { type Entries, type Entry, order, REMOVED } from "./entry.ts";

/** Calls back for each path of either, with null where one has not got it. Closes both. */
export async function compare(
  before: Entries,
  after: Entries,
  visit: (before: Entry | null, after: Entry | null) => Promise<void> | null,
): Promise<void> {
  try {
    while (before.current !== null || after.current !== null) {
      const side = order(before.current, after.current);
      const left = side <= 0 ? before.current : null;
      const right = side >= 0 ? after.current : null;
      const visited = visit(left, right);
      if (visited !== null) await visited;
      await stepAll([...(left === null ? [] : [before]), ...(right === null ? [] : [after])]);
    }
  } finally {
    await Promise.all([before.close(), after.close()]);
  }
}

/** Awaits only where something has to be read, which is what lets the event loop turn. */
function stepAll(readers: readonly Entries[]): Promise<void> | null {
  const reads = readers.map((reader) => reader.next()).filter((read) => read !== null);
  return reads.length === 0 ? null : Promise.all(reads).then(() => undefined);
}

/** What a chain of layers amounts to: of each path the last layer that has it. */
export class FoldedEntries implements Entries {
  readonly #layers: readonly Entries[];
  current: Entry | null = null;
  /** Which layer has `current`. */
  layer = 0;

  private constructor(layers: readonly Entries[]) {
    this.#layers = layers;
  }

  /** Base first; owns the readers. */
  static async of(layers: readonly Entries[]): Promise<FoldedEntries> {
    const folded = new FoldedEntries(layers);
    await folded.#settle();
    return folded;
  }

  next(): Promise<void> | null {
    const read = this.#step();
    return read === null ? this.#settle() : this.#settleAfter(read);
  }

  async close(): Promise<void> {
    await Promise.all(this.#layers.map((layer) => layer.close()));
  }

  /** Finds the first entry that is not removed. */
  #settle(): Promise<void> | null {
    for (;;) {
      this.#choose();
      if (this.current === null || this.current.meta !== REMOVED) return null;
      const read = this.#step();
      if (read !== null) return this.#settleAfter(read);
    }
  }

  async #settleAfter(read: Promise<void>): Promise<void> {
    await read;
    await this.#settle();
  }

  #choose(): void {
    this.current = null;
    for (const [index, { current }] of this.#layers.entries()) {
      if (current === null || order(current, this.current) > 0) continue;
      this.current = current;
      this.layer = index;
    }
  }

  #step(): Promise<void> | null {
    const at = this.current;
    return stepAll(this.#layers.filter(({ current }) => order(current, at) === 0));
  }
}

export const nothing: Entries = { current: null, next: () => null, close: () => Promise.resolve() };
