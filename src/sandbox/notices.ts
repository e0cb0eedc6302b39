// The notices of one sandbox that no caller has seen yet. They are stored, because the object can be reset between an answer and
// its acknowledgement, and nothing else reports what was lost with a machine.

import { truncate } from "../format/truncate.ts";
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

  /** A text that is already due is not added again. A long one is shortened: it may quote what a machine said. */
  add(whole: string): void {
    const text = truncate(whole, TEXT_CHARS);
    if (this.#entries.some((entry) => entry.text === text)) return;
    this.#save([...this.#entries, { id: crypto.randomUUID(), text }].slice(-ENTRIES_MAX));
  }

  /** All entries that are due, as one notice with the id of the newest; null when there are none. */
  get due(): Notice | null {
    const newest = this.#entries.at(-1);
    return newest === undefined ? null : { id: newest.id, text: this.#entries.map(({ text }) => text).join("\n") };
  }

  /** Drops the entries of the notice with this id. Entries that were added later stay due. */
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
/** Bounds the storage of a sandbox whose notices are never acknowledged. */
const ENTRIES_MAX = 20;
const TEXT_CHARS = 4_000;
