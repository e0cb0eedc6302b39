// The implementation of Checkpoints that calls the sandbox's Durable Object.

import * as z from "zod";
import { resultOf } from "../../contract/result.ts";
import { type Answer, Notice } from "../answer.ts";
import { callObject } from "../object-call.ts";
import type { SandboxRpc } from "../sandbox-rpc.ts";
import {
  type CheckpointAction,
  type CheckpointActionRequest,
  type CheckpointActionValue,
  checkpointActions,
} from "./checkpoint-actions.ts";
import type { Checkpoints } from "./checkpoints.ts";

type Stub = Pick<SandboxRpc, "runCheckpointAction">;

/** `sibling` finds another sandbox of the same principal. */
export const durableCheckpoints = (stub: Stub, sibling: (name: string) => Stub): Checkpoints => ({
  create: (name) => run(stub, "create", { name }),
  list: () => run(stub, "list", {}),
  diff: (request) => run(stub, "diff", request),
  restore: (checkpoint) => run(stub, "restore", { checkpoint }),
  fork: (checkpoint, into) => fork(stub, sibling(into), checkpoint),
  delete: (checkpoint) => run(stub, "delete", { checkpoint }),
  deleteAll: () => run(stub, "deleteAll", {}),
  summary: () => run(stub, "summary", {}),
});

/** The layers are marked as needed before the other sandbox learns of them, so that none is deleted in between. */
async function fork(stub: Stub, target: Stub, checkpoint: string | null): ReturnType<Checkpoints["fork"]> {
  const { result: forked, notice } = await run(stub, "fork", { checkpoint });
  if (!forked.ok) return { result: forked, notice };
  const { result: adopted } = await run(target, "adopt", forked.value);
  if (!adopted.ok) await run(stub, "unfork", forked.value);
  return { result: adopted, notice };
}

async function run<Action extends CheckpointAction>(
  stub: Stub,
  action: Action,
  request: CheckpointActionRequest<Action>,
): Promise<Answer<CheckpointActionValue<Action>>> {
  const answered = await callObject(() => stub.runCheckpointAction(action, request));
  if (!answered.ok) return { result: answered, notice: null };
  const schema = z.object({ result: resultOf(checkpointActions[action].value), notice: Notice.nullable() });
  return schema.parse(answered.value) as Answer<CheckpointActionValue<Action>>;
}
