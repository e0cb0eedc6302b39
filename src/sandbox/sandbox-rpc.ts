// The methods of a sandbox's Durable Object that others call. Env names the interface and not the class, which imports Env.

import type { Result } from "../contract/result.ts";
import type { EgressPolicyService } from "../egress/policy-service.ts";
import type { SandboxStatus } from "./admin-actions.ts";
import type { Answer } from "./answer.ts";
import type { SleepOptions } from "./machine/sleep-if-idle.ts";
import type { TransferRequest } from "./transfer/file-transfer.ts";

/** None of these rejects for a foreseeable fault. Requests and answers are parsed on both sides. */
export interface SandboxRpc extends EgressPolicyService {
  /** Does one operation of the contract. */
  operate(operation: string, request: unknown): Promise<Answer<unknown>>;
  /** The notice with this id has been shown to a caller. */
  acknowledge(id: string): Promise<void>;
  /** Moves a whole file. The machine counts as in use until the body of the answer has been read or cancelled. */
  transfer(request: TransferRequest, body: ReadableStream<Uint8Array> | null): Promise<Response>;
  /** One of the actions on the sandbox as a whole (admin-actions.ts). Its status starts nothing and counts as no use. */
  administer(action: string, request: unknown): Promise<unknown>;
  /** One of the actions on its checkpoints (checkpoint-actions.ts). */
  runCheckpointAction(action: string, request: unknown): Promise<Answer<unknown>>;
  /** One action on the small values that code in an isolate stores (state.ts). Needs no machine. */
  runStateOperation(request: unknown): Promise<Result<unknown>>;
  /** The status as far as it is known without asking the machine. */
  cachedStatus(): Promise<SandboxStatus>;
  /** Puts the machine to sleep if it has nothing to do. */
  sleepIfIdle(options: SleepOptions): Promise<"asleep" | "busy">;
  /** What egress was refused to one run of an isolate, as a text that is answered once. Null for nothing. */
  takeRefusals(run: string): Promise<string | null>;
}
