// Selects from the lines of one file, in order, those that belong to a range of its hits: the hits and the lines around them.
// Other hits among those lines are shown as context.

import type { SearchLine } from "../../../src/contract/search.ts";

export interface HitRange {
  /** Hits are counted from 0 within the file; `to` is exclusive. */
  from: number;
  to: number;
  before: number;
  after: number;
}

export class HitWindow {
  readonly #range: HitRange;
  /** Lines that may be the context before the next hit. */
  #waiting: SearchLine[] = [];
  #lastNeeded = 0;
  readonly lines: SearchLine[] = [];
  /** The hits in the file so far, inside the range or not. */
  hits = 0;
  /** No later line can belong to the range. */
  complete = false;

  constructor(range: HitRange) {
    this.#range = range;
  }

  push(line: SearchLine): void {
    const { from, to, before, after } = this.#range;
    const inRange = line.hit && this.hits >= from && this.hits < to;
    if (line.hit) this.hits += 1;
    if (inRange) {
      this.lines.push(...this.#waiting.filter((earlier) => lastLineOf(earlier) >= line.line - before), line);
      this.#waiting = [];
      this.#lastNeeded = lastLineOf(line) + after;
    } else if (line.line <= this.#lastNeeded) {
      this.lines.push({ ...line, hit: false });
    } else {
      this.complete = this.hits > to;
      if (before > 0) this.#waiting.push({ ...line, hit: false });
      if (this.#waiting.length > before) this.#waiting.shift();
    }
  }
}

const lastLineOf = (line: SearchLine): number => line.line + (line.text.match(/\n/g)?.length ?? 0);
