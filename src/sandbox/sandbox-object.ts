// The Durable Object of one sandbox. Its methods delegate to the parts that assemble-sandbox.ts constructs; only what the
// `Container` base class needs is here.

import { Container } from "@cloudflare/containers";
import type { Env } from "../config/env.ts";
import { isOperationName, RUNNER_PORT } from "../contract/operation.ts";
import { fail, type Result } from "../contract/result.ts";
import { handleMachineEgress } from "../egress/outbound.ts";
import type { EgressAdmission, EgressRequest, EgressSettlement } from "../egress/policy-service.ts";
import { adminActions, isAdminAction, type SandboxStatus } from "./admin-actions.ts";
import type { Answer } from "./answer.ts";
import { assembleSandbox, type SandboxParts } from "./assemble-sandbox.ts";
import {
  type CheckpointActionRequest,
  checkpointActions,
  isCheckpointAction,
} from "./checkpoints/checkpoint-actions.ts";
import { runCheckpointAction } from "./checkpoints/run-checkpoint-action.ts";
import { ContainerPlatform } from "./machine/container-platform.ts";
import type { SleepOptions } from "./machine/sleep-if-idle.ts";
import type { SandboxRpc } from "./sandbox-rpc.ts";
import { StateRequest } from "./storage/state.ts";
import type { TransferRequest } from "./transfer/file-transfer.ts";

export class SandboxObject extends Container<Env> implements SandboxRpc {
  static {
    // An assignment, because a field of the class would hide the setter that registers the handler.
    SandboxObject.outbound = handleMachineEgress;
  }

  override defaultPort = RUNNER_PORT;
  /** Everything that goes out goes through `outbound`. */
  override enableInternet = false;
  override interceptHttps = true;
  override pingEndpoint = "runner/health";

  readonly #parts: SandboxParts;

  constructor(ctx: DurableObjectState<object>, env: Env) {
    super(ctx, env);
    this.#parts = assembleSandbox(new ContainerPlatform(this, ctx), ctx, env);
  }

  async operate(operation: string, request: unknown): Promise<Answer<unknown>> {
    return isOperationName(operation) ? this.#parts.operations.run(operation, request) : unknownOperation(operation);
  }

  async acknowledge(id: string): Promise<void> {
    this.#parts.stores.notices.acknowledge(id);
  }

  transfer(request: TransferRequest, body: ReadableStream<Uint8Array> | null): Promise<Response> {
    return this.#parts.transfers.run(request, body);
  }

  async administer(action: string, request: unknown): Promise<unknown> {
    if (!isAdminAction(action)) return unknownOperation(action).result;
    return this.#parts.admin.run(action, adminActions[action].request.parse(request));
  }

  async runCheckpointAction(action: string, request: unknown): Promise<Answer<unknown>> {
    if (!isCheckpointAction(action)) return unknownOperation(action);
    const { activity, stores, ...parts } = this.#parts;
    const isUse = action !== "list" && action !== "summary" && action !== "describe";
    const end = isUse ? activity.beginCall() : () => undefined;
    try {
      const parsed = checkpointActions[action].request.parse(request) as CheckpointActionRequest<typeof action>;
      const result = await runCheckpointAction(action, parsed, { ...parts, record: stores.record });
      return { result, notice: isUse ? stores.notices.due : null };
    } finally {
      end();
    }
  }

  async runStateOperation(request: unknown): Promise<Result<unknown>> {
    return this.#parts.stores.state.run(StateRequest.parse(request));
  }

  async cachedStatus(): Promise<SandboxStatus> {
    return this.#parts.reporter.cachedStatus();
  }

  sleepIfIdle(options: SleepOptions): Promise<"asleep" | "busy"> {
    return this.#parts.lifecycle.sleepIfIdle(options);
  }

  async admitEgress(request: EgressRequest): Promise<EgressAdmission> {
    return this.#parts.egress.admit(request);
  }

  async settleEgress(settlement: EgressSettlement): Promise<void> {
    this.#parts.egress.settle(settlement);
  }

  async takeRefusals(run: string): Promise<string | null> {
    return this.#parts.egress.takeNotice(run);
  }

  /** Takes requests to previews and nothing else: the base class would let a header choose any port. */
  override fetch(request: Request): Promise<Response> {
    return this.#parts.previews.answer(request);
  }

  /** The platform calls it at a scheduled moment (container-platform.ts). */
  checkpointWhenDue(): Promise<void> {
    return this.#parts.files.storeWhenDue();
  }

  override onActivityExpired(): Promise<void> {
    return this.#parts.lifecycle.onActivityExpired();
  }

  /** The machine has ended, whatever ended it. */
  override onStop(): void {
    this.#parts.reporter.onMachineChange();
  }
}

const unknownOperation = (name: string): Answer<never> => ({
  result: fail({ reason: "not_found", kind: "operation", name }),
  notice: null,
});
