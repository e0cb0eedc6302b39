// The network of one isolate run, as the code that starts the isolate sees it. outbound.ts implements it.

/** Identifies a run to the entrypoint that receives its requests. */
export interface NetworkProps {
  /** The name of the Durable Object of the sandbox whose policy applies. */
  objectName: string;
  /** The unique id of the run. */
  run: string;
}

export interface IsolateNetwork {
  /** The props of the entrypoint IsolateEgress, which is the isolate's only way out. */
  props: NetworkProps;
  /**
   * A sentence about the requests that were refused since the last call; null when there were none. Each refusal is reported
   * once. Never rejects.
   */
  refusals(): Promise<string | null>;
}
