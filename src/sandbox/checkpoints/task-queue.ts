// One after the other: two checkpoints at once would each stand on what the other is about to replace.

export class Queue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get busy(): boolean {
    return this.#waiting > 0;
  }

  run<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#waiting += 1;
    const next = this.#last.then(work, work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = next.catch(() => undefined);
    return next;
  }
}
