// One page out of files that arrive in any order, or in the order of answers: keeps what the page may still need and no more.

import { byKey } from "./path-order.ts";

/** What a file weighs on a page: its hits, or 1. */
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

  /** `last` is the weight after which nothing is on the page any more. */
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

  /** In order: as many files as it takes to reach the page's end. */
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
