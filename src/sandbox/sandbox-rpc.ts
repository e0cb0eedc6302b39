// The methods of a sandbox's Durable Object that other code calls. Env refers to this interface and not to the class, which
// imports Env.

import type { Result } from "../contract/result.ts";
import type { EgressPolicyService } from "../egress/policy-service.ts";
import type { SandboxStatus } from "./admin-actions.ts";
import type { Answer } from "./answer.ts";
import type { SleepOptions } from "./machine/sleep-if-idle.ts";
import type { TransferRequest } from "./transfer/file-transfer.ts";

/** No method rejects for a foreseeable fault. Requests and results are parsed on both sides. */
export interface SandboxRpc extends EgressPolicyService {
  /** Carries out one operation of the contract. */
  operate(operation: string, request: unknown): Promise<Answer<unknown>>;
  /** The notice with this id has been shown to a caller. */
  acknowledge(id: string): Promise<void>;
  /** Transfers a whole file. The machine counts as in use until the body of the response has been read or cancelled. */
  transfer(request: TransferRequest, body: ReadableStream<Uint8Array> | null): Promise<Response>;
  /**
   * Carries out one action on the sandbox as a whole (admin-actions.ts). Asking for its status does not start a machine or count
   * as use.
   */
  administer(action: string, request: unknown): Promise<unknown>;
  /** Carries out one action on its checkpoints (checkpoint-actions.ts). */
  runCheckpointAction(action: string, request: unknown): Promise<Answer<unknown>>;
  /** Carries out one action on the small values that code in an isolate stores (state.ts). Needs no machine. */
  runStateOperation(request: unknown): Promise<Result<unknown>>;
  /** The status as far as it is known without asking the machine. */
  cachedStatus(): Promise<SandboxStatus>;
  /** Puts the machine to sleep if it is idle. */
  sleepIfIdle(options: SleepOptions): Promise<"asleep" | "busy">;
  /** The requests of one isolate run that were refused, as a text that is returned once; null when there were none. */
  takeRefusals(run: string): Promise<string | null>;
}
