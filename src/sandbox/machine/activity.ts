// Who uses a sandbox at the moment, and when somebody last did.

export class Activity {
  readonly #renew: () => void;
  #callsInFlight = 0;
  #callCount = 0;
  #trafficInFlight = 0;
  #lastAt = Date.now();
  #usedAt: number | null = null;

  /** `renew` is called with every sign of life. */
  constructor(renew: () => void) {
    this.#renew = renew;
  }

  get callsInFlight(): number {
    return this.#callsInFlight;
  }

  /** Rises with every call. */
  get callCount(): number {
    return this.#callCount;
  }

  /** Requests to previews that still stream, and open WebSockets. */
  get trafficInFlight(): number {
    return this.#trafficInFlight;
  }

  get idleMs(): number {
    return Date.now() - this.#lastAt;
  }

  /** Epoch milliseconds; null when nobody has used it since this object was made, which is itself no use. */
  get usedAt(): number | null {
    return this.#usedAt;
  }

  /** A call begins; the function that comes back ends it. */
  beginCall(): () => void {
    this.#callsInFlight += 1;
    this.#callCount += 1;
    this.touch();
    return once(() => {
      this.#callsInFlight -= 1;
      this.touch();
    });
  }

  beginTraffic(): () => void {
    this.#trafficInFlight += 1;
    this.#callCount += 1;
    this.touch();
    return once(() => {
      this.#trafficInFlight -= 1;
      this.touch();
    });
  }

  touch(): void {
    this.#lastAt = Date.now();
    this.#usedAt = this.#lastAt;
    this.#renew();
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
