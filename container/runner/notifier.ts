// Lets any number of callers wait for the next change of something, each with a timeout. A wait that is over leaves nothing
// behind.

export class Notifier {
  readonly #waiting = new Set<() => void>();

  notify(): void {
    if (this.#waiting.size === 0) return;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the next notification, or after `ms`. */
  wait(ms: number): Promise<void> {
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

  /** Checks `condition` now and after each notification. Resolves to false when `ms` have passed first. */
  async waitUntil(condition: () => boolean, ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (!condition()) {
      const remaining = deadline - performance.now();
      if (remaining <= 0) return false;
      await this.wait(Math.ceil(remaining));
    }
    return true;
  }
}
