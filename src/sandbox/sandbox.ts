// The interface through which tools and isolates use a sandbox. Cloudflare's types stay behind it.

import * as z from "zod";
import type { OperationName, RequestOf, ValueOf } from "../contract/operation.ts";
import type { Result } from "../contract/result.ts";
import type { CareAction, CareRequest, CareValue, SandboxStatus } from "./admin-actions.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";

/** One sentence or more about the sandbox that accompanies an answer. It stays due until it is acknowledged. */
export const Notice = z.object({ id: z.string(), text: z.string() });
export type Notice = z.infer<typeof Notice>;

export interface Answer<Value> {
  result: Result<Value>;
  /** What the caller has to know about the machine, such as that it was restarted. Null when nothing is due. */
  notice: Notice | null;
}

/** A sandbox as those see it who work in it. */
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
