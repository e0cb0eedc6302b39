// The implementation of Checkpoints that calls the sandbox's Durable Object.

import * as z from "zod";
import type { CheckpointDiffRequest } from "../../contract/checkpoint.ts";
import { type Result, resultOf } from "../../contract/result.ts";
import { type Answer, Notice } from "../answer.ts";
import { callObject } from "../object-call.ts";
import type { SandboxRpc } from "../sandbox-rpc.ts";
import {
  type CheckpointAction,
  type CheckpointActionRequest,
  type CheckpointActionValue,
  checkpointActions,
  type StoredCheckpoint,
} from "./checkpoint-actions.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { CHECKPOINT_ID } from "./retention.ts";

type Stub = Pick<SandboxRpc, "runCheckpointAction">;

export interface Siblings {
  /** Finds another sandbox of the same principal. */
  find(name: string): Stub;
  /** Resolves to the names of all sandboxes of the principal; empty when they are not known. */
  names(): Promise<string[]>;
}

export const durableCheckpoints = (stub: Stub, siblings: Siblings): Checkpoints => ({
  create: (name) => run(stub, "create", { name }),
  list: () => run(stub, "list", {}),
  diff: (request) => diff(stub, siblings, request),
  restore: (checkpoint) => run(stub, "restore", { checkpoint }),
  fork: (checkpoint, into) => fork(stub, siblings.find(into), checkpoint),
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

/** A checkpoint that the sandbox does not know is looked for in the others, when it looks like an id. */
async function diff(stub: Stub, siblings: Siblings, request: CheckpointDiffRequest): ReturnType<Checkpoints["diff"]> {
  const others: StoredCheckpoint[] = [];
  for (;;) {
    const answer = await run(stub, "diff", { ...request, others });
    const missing = missingId(answer.result);
    const isNew = missing !== null && !others.some(({ checkpoint }) => checkpoint.id === missing);
    const found = isNew ? await findElsewhere(siblings, missing) : null;
    if (found === null) return answer;
    others.push(found);
  }
}

function missingId(result: Result<unknown>): string | null {
  if (result.ok || result.failure.reason !== "not_found" || result.failure.kind !== "checkpoint") return null;
  return CHECKPOINT_ID.test(result.failure.name) ? result.failure.name : null;
}

async function findElsewhere(siblings: Siblings, checkpoint: string): Promise<StoredCheckpoint | null> {
  const names = await siblings.names();
  const answers = await Promise.all(names.map((name) => run(siblings.find(name), "describe", { checkpoint })));
  const found = answers.flatMap(({ result }) => (result.ok ? [result.value] : []));
  return found.find((stored) => stored.checkpoint.id === checkpoint) ?? null;
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
