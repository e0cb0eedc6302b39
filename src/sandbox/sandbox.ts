// The interface through which tools and isolates use a sandbox. Cloudflare's types stay behind it.

import type { OperationName, RequestOf, ValueOf } from "../contract/operation.ts";
import type { Result } from "../contract/result.ts";
import type { AdminAction, AdminRequest, AdminValue, SandboxStatus } from "./admin-actions.ts";
import type { Answer, Notice } from "./answer.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";

/** A sandbox, for callers that work in it. */
export interface SandboxCalls {
  readonly name: string;
  /**
   * Does one operation in the machine, starting one where none is up. Never rejects for a foreseeable fault. An `exec` answers
   * `starting` when the machine is not up within its `wait_ms`; the command is then run as soon as it is.
   */
  call<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Answer<ValueOf<Name>>>;
  /**
   * Says that the caller has been shown the notice, so that later answers do not repeat it. Never rejects for a foreseeable
   * fault: a notice that could not be acknowledged is shown again.
   */
  acknowledge(notice: Notice): Promise<void>;
}

/** A sandbox, for callers that also administer it. */
export interface Sandbox extends SandboxCalls {
  readonly checkpoints: Checkpoints;
  /** Carries out one action on the sandbox as a whole; starts no machine. Never rejects for a foreseeable fault. */
  administer<Action extends AdminAction>(
    action: Action,
    request: AdminRequest<Action>,
  ): Promise<Result<AdminValue<Action>>>;
}

/** The sandboxes of one principal. A name is not a capability: it is looked up under the principal. */
export interface Sandboxes {
  /** A sandbox that does not exist can be opened too: its first use creates it. */
  open(name: string): Sandbox;
  list(): Promise<Result<SandboxStatus[]>>;
  /** The URL of a preview, from its label. Null where this deployment has no previews. */
  previewUrl: ((label: string) => string) | null;
}

export const DEFAULT_SANDBOX = "default";
export const SANDBOX_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
