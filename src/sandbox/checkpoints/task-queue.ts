// Runs tasks one at a time. Two concurrent checkpoints would each build on a state that the other is about to replace.

export class TaskQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** A task that rejects does not keep later ones from running. */
  run<Value>(task: () => Promise<Value>): Promise<Value> {
    const next = this.#last.then(task, task);
    this.#last = next.catch(() => undefined);
    return next;
  }
}
