// What runs the machines, as the server sees it: the built-in engine or a Docker daemon.

export interface Engine {
  /** The URL of the socket on which Docker's API is answered. */
  socket: string;
  images: { machine: string; sidecar: string };
  /** Whether its sidecar names the host that workerd tells it to, and not the one that a program connects to. */
  keepsEgressHostname: boolean;
  /** Added to the environment of the process that serves the Worker. */
  workerEnvironment: Record<string, string>;
  /** Resolves when it has ended unexpectedly. */
  ended: Promise<void>;
  /** Asks the machines to end, so that the Worker can store their files, and ends them by force within `ms`. */
  stop(ms: number): Promise<void>;
  /** Removes what the Worker did not remove. Called when the Worker has ended. */
  cleanUp(): Promise<void>;
}
