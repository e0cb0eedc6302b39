// Insertions and removals in a text, with the way back from a place in the new text to the one in the old.

export class Edits {
  readonly #edits: { at: number; remove: number; insert: string }[] = [];

  /** Of two insertions at one place, the one made first comes first. */
  insert(at: number, text: string): void {
    this.#edits.push({ at, remove: 0, insert: text });
  }

  replace(from: number, to: number, text: string): void {
    this.#edits.push({ at: from, remove: to - from, insert: text });
  }

  apply(text: string): { text: string; originalOffset: (offset: number) => number } {
    const edits = this.#edits.toSorted((a, b) => a.at - b.at);
    let result = "";
    let from = 0;
    /** Where each stretch that was kept starts, in both texts, and its length. */
    const kept: { now: number; before: number; length: number }[] = [];
    const keep = (to: number) => {
      kept.push({ now: result.length, before: from, length: to - from });
      result += text.slice(from, to);
      from = to;
    };
    for (const { at, remove, insert } of edits) {
      keep(at);
      result += insert;
      from = at + remove;
    }
    keep(text.length);
    return { text: result, originalOffset: (offset) => back(kept, offset) };
  }
}

function back(kept: { now: number; before: number; length: number }[], offset: number): number {
  const stretch = kept.findLast(({ now }) => now <= offset);
  if (stretch === undefined) return 0;
  return stretch.before + Math.min(offset - stretch.now, stretch.length);
}
