// Walks two manifests, or a chain of them, in step. Memory does not grow with the number of entries.

import { compareEntries, type Entries, type Entry, REMOVED } from "./entry.ts";

/** Calls `visit` for each path in either manifest, with null for the side that does not have it. Closes both. */
export async function compare(
  before: Entries,
  after: Entries,
  visit: (before: Entry | null, after: Entry | null) => Promise<void> | null,
): Promise<void> {
  try {
    while (before.current !== null || after.current !== null) {
      const order = compareEntries(before.current, after.current);
      const hasBefore = order <= 0;
      const hasAfter = order >= 0;
      const visited = visit(hasBefore ? before.current : null, hasAfter ? after.current : null);
      if (visited !== null) await visited;
      await advance([...(hasBefore ? [before] : []), ...(hasAfter ? [after] : [])]);
    }
  } finally {
    await Promise.all([before.close(), after.close()]);
  }
}

/** Returns a promise only when something has to be read, so that the event loop runs then and not for each entry. */
function advance(readers: readonly Entries[]): Promise<void> | null {
  const reads = readers.map((reader) => reader.next()).filter((read) => read !== null);
  return reads.length === 0 ? null : Promise.all(reads).then(() => undefined);
}

/** The tree that a chain of layers describes: each path as in the last layer that has it. */
export class FoldedEntries implements Entries {
  readonly #layers: readonly Entries[];
  readonly #keepsRemoved: boolean;
  current: Entry | null = null;
  /** The index of the layer that `current` is from. */
  layer = 0;

  private constructor(layers: readonly Entries[], keepsRemoved: boolean) {
    this.#layers = layers;
    this.#keepsRemoved = keepsRemoved;
  }

  /** Takes the oldest layer first. Owns the readers. `removed` includes the entries that the last layer to have them removes. */
  static async of(layers: readonly Entries[], { removed = false } = {}): Promise<FoldedEntries> {
    const folded = new FoldedEntries(layers, removed);
    await folded.#settle();
    return folded;
  }

  next(): Promise<void> | null {
    const read = this.#advance();
    return read === null ? this.#settle() : this.#settleAfter(read);
  }

  async close(): Promise<void> {
    await Promise.all(this.#layers.map((layer) => layer.close()));
  }

  /** Makes `current` the first entry that counts. */
  #settle(): Promise<void> | null {
    for (;;) {
      this.#choose();
      if (this.current === null || this.#keepsRemoved || this.current.meta !== REMOVED) return null;
      const read = this.#advance();
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
      if (current === null || compareEntries(current, this.current) > 0) continue;
      this.current = current;
      this.layer = index;
    }
  }

  #advance(): Promise<void> | null {
    const position = this.current;
    return advance(this.#layers.filter(({ current }) => compareEntries(current, position) === 0));
  }
}

export const emptyEntries: Entries = { current: null, next: () => null, close: () => Promise.resolve() };
