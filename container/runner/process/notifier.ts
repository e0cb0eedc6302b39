// Lets many wait for the next news of one thing, each with a deadline; a wait that is over leaves nothing behind.

export class Bell {
  readonly #waiting = new Set<() => void>();

  ring(): void {
    if (this.#waiting.size === 0) return;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the next ring, or after `ms`. */
  next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }

  /** Looks at `condition` now and after each ring; false when `ms` went by first. */
  async until(condition: () => boolean, ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (!condition()) {
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await this.next(Math.ceil(left));
    }
    return true;
  }
}
