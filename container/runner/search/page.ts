// Collects one page from files that arrive in any order, and keeps only what may still be on the page.

import { byKey } from "./path-order.ts";

/** An entry of a page; its weight is the number of its hits, or 1. */
export interface Weighed {
  readonly key: string;
  readonly weight: number;
}

export class Page<Item extends Weighed> {
  readonly #last: number;
  #items: Item[] = [];
  #keptWeight = 0;
  hits = 0;
  files = 0;

  /** The page ends when the total weight reaches `last`. */
  constructor(last: number) {
    this.#last = last;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#keptWeight += item.weight;
    this.hits += item.weight;
    this.files += 1;
    if (this.#keptWeight > 2 * this.#last + SLACK) this.#trim();
  }

  /** As many files, in order, as it takes to reach the end of the page. */
  items(): Item[] {
    this.#trim();
    return this.#items;
  }

  #trim(): void {
    this.#items.sort(byKey);
    let weight = 0;
    const end = this.#items.findIndex((item) => {
      weight += item.weight;
      return weight >= this.#last;
    });
    if (end !== -1) this.#items.length = end + 1;
    else weight = this.#keptWeight;
    this.#keptWeight = weight;
  }
}

const SLACK = 1_000;
