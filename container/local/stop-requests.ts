// Turns the signals that ask the server to stop into one request, however many arrive: a terminal sends Ctrl-C to the server and
// to npm, which passes it on, and a closing terminal may add SIGHUP. Only a stop that takes long can be forced, so that an
// impatient Ctrl-C loses nothing.

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A stop without much to store is over by then. */
const OFFER_AFTER_MS = 3_000;
const FORCED_BY = 3;
const FORCED_WITHIN_MS = 1_000;

export class StopRequests {
  readonly #stopping = new AbortController();
  readonly #forced = Promise.withResolvers<void>();
  /** How often one Ctrl-C arrives. */
  readonly #signalsEach = process.env["npm_lifecycle_event"] === undefined ? 1 : 2;
  #interrupts: number[] = [];
  #canBeForced = false;

  constructor() {
    for (const signal of STOP_SIGNALS) process.on(signal, () => this.#take(signal));
    // A closed terminal fails every write. Without a listener, the first one would end the server before files are stored.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  }

  /** Aborts at the first request. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  request(): void {
    this.#stopping.abort();
  }

  /** Waits for the stop, and no longer once a person insists. Says first how to insist, and then what that loses. */
  async waitUnlessForced(stop: Promise<void>): Promise<void> {
    const offer = setTimeout(() => {
      this.#canBeForced = true;
      console.log("Files are still being stored. Press Ctrl-C three times within a second to end without them.");
    }, OFFER_AFTER_MS);
    const isForced = await Promise.race([stop.then(() => false), this.#forced.promise.then(() => true)]);
    clearTimeout(offer);
    if (isForced)
      console.log(
        "Ended by force: machines that had not stored their files lose what is newer than their last checkpoint.",
      );
  }

  #take(signal: (typeof STOP_SIGNALS)[number]): void {
    this.request();
    if (signal !== "SIGINT" || !this.#canBeForced) return;
    const now = performance.now();
    this.#interrupts = [...this.#interrupts.filter((at) => now - at < FORCED_WITHIN_MS), now];
    if (this.#interrupts.length >= FORCED_BY * this.#signalsEach) this.#forced.resolve();
  }
}
