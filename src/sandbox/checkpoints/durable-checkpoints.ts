// The checkpoints of a sandbox, as its Durable Object keeps them.

import * as z from "zod";
import { fail, type Result, resultOf } from "../../contract/result.ts";
import { type Answer, Notice } from "../sandbox.ts";
import type { SandboxObject } from "../sandbox-object.ts";
import {
  type CheckpointAction,
  type CheckpointActionRequest,
  type CheckpointActionValue,
  checkpointActions,
} from "./checkpoint-actions.ts";
import type { Checkpoints } from "./checkpoints.ts";

type Stub = DurableObjectStub<SandboxObject>;

export const durableCheckpoints = (stub: Stub, sibling: (name: string) => Stub): Checkpoints => ({
  create: (name) => ask(stub, "create", { name }),
  list: () => ask(stub, "list", {}),
  diff: (request) => ask(stub, "diff", request),
  restore: (checkpoint) => ask(stub, "restore", { checkpoint }),
  fork: (checkpoint, into) => fork(stub, sibling(into), checkpoint),
  delete: (checkpoint) => ask(stub, "delete", { checkpoint }),
  deleteAll: () => ask(stub, "deleteAll", {}),
  summary: () => ask(stub, "summary", {}),
});

/** The layers are marked as needed before the other is told of them, so that none of them goes meanwhile. */
async function fork(stub: Stub, target: Stub, checkpoint: string | null): ReturnType<Checkpoints["fork"]> {
  const { result: forked, notice } = await ask(stub, "fork", { checkpoint });
  if (!forked.ok) return { result: forked, notice };
  const { result: adopted } = await ask(target, "adopt", forked.value);
  if (!adopted.ok) await ask(stub, "unfork", forked.value);
  return { result: adopted, notice };
}

async function ask<Action extends CheckpointAction>(
  stub: Stub,
  action: Action,
  request: CheckpointActionRequest<Action>,
): Promise<Answer<CheckpointActionValue<Action>>> {
  try {
    const answer: unknown = await stub.checkpoints(action, request);
    const schema = z.object({ result: resultOf(checkpointActions[action].value), notice: Notice.nullable() });
    return schema.parse(answer) as Answer<CheckpointActionValue<Action>>;
  } catch (error) {
    console.error(error);
    return { result: interrupted, notice: null };
  }
}

const interrupted: Result<never> = fail({
  reason: "machine_unavailable",
  message: "the sandbox was interrupted",
  retry_after_ms: 1_000,
});
