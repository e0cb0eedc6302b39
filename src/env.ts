// The bindings and settings of the Worker as Cloudflare hands them over. settings.ts resolves the text ones.

import type { SandboxObject } from "./sandbox/sandbox-object.ts";

export interface Env {
  SANDBOX: DurableObjectNamespace<SandboxObject>;
  /** Makes the isolates of run_js. */
  LOADER: WorkerLoader;
  /** Secret: who may call. See auth/access-keys.ts for its form. */
  ACCESS_KEYS?: string;
  /** Host names under which this server answers, comma-separated; the loopback names always do. */
  ALLOWED_HOSTS?: string;
  /** When a machine without work sleeps, such as "10m". */
  SLEEP_AFTER?: string;
  /** How long a background process keeps a machine awake after the last call, such as "4h". */
  LONGEST_AWAKE?: string;
  /** The repository that the provider `github` of run_js reads, "owner/name"; with the token, or it is not there. */
  GITHUB_REPOSITORY?: string;
  /** Secret: a token that may read it. It never reaches an isolate. */
  GITHUB_TOKEN?: string;
  /** Another GitHub than api.github.com. */
  GITHUB_API_URL?: string;
}
