// The interface through which tools and isolates use a sandbox. Cloudflare's types stay behind it.

import type { OperationName, RequestOf, ValueOf } from "../contract/operation.ts";
import type { Result } from "../contract/result.ts";
import type { CareAction, CareRequest, CareValue, SandboxStatus } from "./admin-actions.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";

export interface Answer<Value> {
  result: Result<Value>;
  /** Something the caller has to know about the machine: that it is new, or that it was restarted. Said once. */
  notice: string | null;
}

/** A sandbox as those see it who work in it. */
export interface SandboxCalls {
  readonly name: string;
  /**
   * Does one operation in the machine, starting one where none is up. Never rejects for a foreseeable fault. An `exec` answers
   * `starting` when the machine is not up within its `wait_ms`; the command is then run as soon as it is.
   */
  call<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Answer<ValueOf<Name>>>;
}

/** The same for those who look after it too. */
export interface Sandbox extends SandboxCalls {
  readonly checkpoints: Checkpoints;
  /** Does something with the sandbox as a whole; starts no machine. Never rejects for a foreseeable fault. */
  care<Action extends CareAction>(action: Action, request: CareRequest<Action>): Promise<Result<CareValue<Action>>>;
}

/** The sandboxes of one principal. A name is not a capability: it is looked up under the principal. */
export interface Sandboxes {
  /** Of one that does not exist too: it is made with its first use. */
  open(name: string): Sandbox;
  list(): Promise<Result<SandboxStatus[]>>;
  /** A preview's URL, of its label; null where this deployment has no previews. */
  previewUrl: ((label: string) => string) | null;
}

export const DEFAULT_SANDBOX = "default";
export const SANDBOX_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
