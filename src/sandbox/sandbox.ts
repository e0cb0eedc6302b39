// The interface through which tools and isolates use a sandbox. Cloudflare's types stay behind it.

import type { OperationName, RequestOf, ValueOf } from "../contract/operation.ts";
import type { Result } from "../contract/result.ts";
import type { AdminAction, AdminRequest, AdminValue, SandboxStatus } from "./admin-actions.ts";
import type { Answer, Notice } from "./answer.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";

/** A sandbox as callers see it that only work in it. */
export interface SandboxCalls {
  readonly name: string;
  /**
   * Carries out one operation in the machine, and starts a machine if none is up. Never rejects for a foreseeable fault. An
   * `exec` resolves to `starting` when the machine is not up within `wait_ms`; the command runs as soon as it is.
   */
  call<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Answer<ValueOf<Name>>>;
  /**
   * Records that the caller has seen the notice, so that later answers do not repeat it. Never rejects for a foreseeable fault: a
   * notice that could not be acknowledged is shown again.
   */
  acknowledge(notice: Notice): Promise<void>;
}

/** A sandbox as callers see it that also administer it. */
export interface Sandbox extends SandboxCalls {
  readonly checkpoints: Checkpoints;
  /** Carries out one action on the sandbox as a whole; starts no machine. Never rejects for a foreseeable fault. */
  administer<Action extends AdminAction>(
    action: Action,
    request: AdminRequest<Action>,
  ): Promise<Result<AdminValue<Action>>>;
}

/** The sandboxes of one principal. A name grants no access: it is resolved within the principal. */
export interface Sandboxes {
  /** Opens a sandbox, which need not exist: its first use creates it. */
  open(name: string): Sandbox;
  list(): Promise<Result<SandboxStatus[]>>;
  /** Makes the URL of a preview from its label; null when this deployment has no previews. */
  previewUrl: ((label: string) => string) | null;
}

export const DEFAULT_SANDBOX = "default";
export const SANDBOX_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
