// The notices of one sandbox that no caller has been shown yet. They are stored, because the object can be reset between an
// answer and its acknowledgement, and what was lost with a machine is told by nothing else.

import type { Notice } from "./answer.ts";
import type { KeyValues } from "./storage/key-values.ts";

type Entry = { id: string; text: string };

export class Notices {
  readonly #kv: KeyValues;
  #entries: readonly Entry[];

  constructor(kv: KeyValues) {
    this.#kv = kv;
    this.#entries = kv.get<Entry[]>(KEY) ?? [];
  }

  /** A text that is due already is not repeated. */
  add(text: string): void {
    if (this.#entries.some((entry) => entry.text === text)) return;
    this.#save([...this.#entries, { id: crypto.randomUUID(), text }].slice(-ENTRIES_MAX));
  }

  /** Everything that is due, under the id of the newest entry; null when nothing is. */
  get due(): Notice | null {
    const newest = this.#entries.at(-1);
    return newest === undefined ? null : { id: newest.id, text: this.#entries.map(({ text }) => text).join("\n") };
  }

  /** Drops what a notice with this id contained. Entries that were added later stay due. */
  acknowledge(id: string): void {
    const index = this.#entries.findIndex((entry) => entry.id === id);
    if (index >= 0) this.#save(this.#entries.slice(index + 1));
  }

  clear(): void {
    this.#save([]);
  }

  #save(entries: readonly Entry[]): void {
    this.#entries = entries;
    if (entries.length === 0) this.#kv.delete(KEY);
    else this.#kv.put(KEY, entries);
  }
}

const KEY = "notices";
/** Bounds what is stored for a sandbox whose notices nobody acknowledges. */
const ENTRIES_MAX = 20;
