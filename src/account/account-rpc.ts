// The methods of a principal's Durable Object, for its sandboxes and for callers.

import type { Result } from "../contract/result.ts";
import type { SandboxStatus } from "../sandbox/admin-actions.ts";

export interface AccountRpc {
  /** Registers a sandbox of the principal, within the quota. Succeeds if it is registered already. */
  register(name: string): Promise<Result<null>>;
  /** Called before a machine starts: takes one of the slots for awake machines, for which an idle machine may be put to sleep. */
  admit(name: string): Promise<Result<null>>;
  /** Stores the status of a sandbox. Ignores sandboxes that are not registered. */
  report(status: unknown): Promise<void>;
  /** The status of all sandboxes. Those that should be awake are asked. */
  list(): Promise<SandboxStatus[]>;
  unregister(name: string): Promise<void>;
}
