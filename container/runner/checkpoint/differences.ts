// Collects the differences between two trees. Memory is bounded: of more differences than `checkpointDiffTracked`, the rest is only
// counted by directory.

import { limits } from "../../../src/contract/limits.ts";
import { differs, type Entry } from "./entry.ts";

export type ChangeKind = "added" | "changed" | "removed";

export interface ChangedEntry extends Entry {
  /** The meta that the entry had before. */
  before: string;
}

export class Differences {
  readonly added: Entry[] = [];
  readonly changed: ChangedEntry[] = [];
  readonly removed: Entry[] = [];
  readonly counts: Record<ChangeKind, number> = { added: 0, changed: 0, removed: 0 };
  /** How many entries were only counted, by the directory that they are below. */
  readonly untracked: Record<ChangeKind, Map<string, number>> = {
    ...{ added: new Map(), changed: new Map(), removed: new Map() },
  };
  #tracked = 0;

  /** Takes an entry of each tree with the same path; null where there is none. */
  add(before: Entry | null, after: Entry | null): void {
    if (before === null && after !== null) this.#put("added", this.added, after);
    else if (after === null && before !== null) this.#put("removed", this.removed, before);
    else if (before !== null && after !== null && differs(before.meta, after.meta)) {
      this.#put("changed", this.changed, { ...after, before: before.meta });
    }
  }

  #put<Item extends Entry>(kind: ChangeKind, list: Item[], entry: Item): void {
    this.counts[kind] += 1;
    if (this.#tracked < limits.checkpointDiffTracked) {
      this.#tracked += 1;
      list.push(entry);
      return;
    }
    const directory = entry.path
      .split("/", COUNTED_DEPTH + 1)
      .slice(0, -1)
      .slice(0, COUNTED_DEPTH)
      .join("/");
    this.untracked[kind].set(directory, (this.untracked[kind].get(directory) ?? 0) + 1);
  }
}

/** Such as `workspace/node_modules`. */
const COUNTED_DEPTH = 2;
