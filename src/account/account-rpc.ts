// The methods of a principal's Durable Object that its sandboxes, and callers, use.

import type { Result } from "../contract/result.ts";
import type { SandboxStatus } from "../sandbox/admin-actions.ts";

export interface AccountRpc {
  /** Makes a sandbox one of the principal's, within the quota. A sandbox that is already is no failure. */
  register(name: string): Promise<Result<null>>;
  /** A machine is to start: takes a place among those that may be awake, for which an idle machine may have to sleep. */
  admit(name: string): Promise<Result<null>>;
  /** Stores the status of a sandbox. Ignored for a sandbox that is not registered. */
  report(status: unknown): Promise<void>;
  /** The status of all sandboxes. Those that should be awake are asked. */
  list(): Promise<SandboxStatus[]>;
  unregister(name: string): Promise<void>;
}
