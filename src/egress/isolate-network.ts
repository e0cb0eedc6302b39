// The network of one isolate run, as the code that starts the isolate sees it. outbound.ts implements it.

export interface IsolateNetwork {
  /** The isolate's globalOutbound: the only way out for its code. */
  outbound: Fetcher;
  /**
   * A sentence about the requests that were refused since the last call; null when there were none. Each refusal is reported
   * once. Never rejects.
   */
  refusals(): Promise<string | null>;
}
