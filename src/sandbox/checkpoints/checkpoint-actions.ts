// The actions on the checkpoints of a sandbox, by name, with the schemas of their requests and values. They are sent between the
// Worker and the sandbox's Durable Object.

import * as z from "zod";
import {
  CheckpointDeleted,
  CheckpointDiff,
  CheckpointDiffRequest,
  CheckpointInfo,
  CheckpointList,
  CheckpointRestored,
  CheckpointSummary,
} from "../../contract/checkpoint.ts";

const Layer = z.object({
  id: z.string(),
  parent: z.string().nullable(),
  key: z.string(),
  bytes: z.number(),
  manifest_bytes: z.number(),
  sha256: z.string(),
  shared: z.number(),
  mark: z.string().nullable(),
});

const Checkpoint = CheckpointInfo.extend({ layer: z.string() });

/** A checkpoint with the chain of its layers, base first, to be read by another sandbox of the same principal. */
export const StoredCheckpoint = z.object({ layers: z.array(Layer), checkpoint: Checkpoint });
export type StoredCheckpoint = z.infer<typeof StoredCheckpoint>;

/** A checkpoint of one sandbox that another one will start from, and the named ones that come with it. */
export const Fork = z.object({
  /** The layers of all of them. `mark` is the mark in R2 that was made for this fork. */
  layers: z.array(Layer.extend({ mark: z.string() })),
  checkpoint: Checkpoint,
  /** Oldest first. */
  named: z.array(Checkpoint).default([]),
});
export type Fork = z.infer<typeof Fork>;

const named = z.object({ checkpoint: z.string() });

export const checkpointActions = {
  create: { request: z.object({ name: z.string().nullable() }), value: CheckpointInfo },
  list: { request: z.object({}), value: CheckpointList },
  /** `others` are checkpoints of other sandboxes, by whose ids the request may name them. */
  diff: {
    request: CheckpointDiffRequest.extend({ others: z.array(StoredCheckpoint).default([]) }),
    value: CheckpointDiff,
  },
  describe: { request: named, value: StoredCheckpoint },
  restore: { request: named, value: CheckpointRestored },
  delete: { request: named, value: CheckpointDeleted },
  deleteAll: { request: z.object({}), value: z.object({ freed_bytes: z.number() }) },
  summary: { request: z.object({}), value: CheckpointSummary },
  /** The value is then sent to the other sandbox with `adopt`; if it refuses, `unfork` follows. */
  fork: { request: z.object({ checkpoint: z.string().nullable() }), value: Fork },
  unfork: { request: Fork, value: z.object({}) },
  adopt: { request: Fork, value: CheckpointInfo },
} as const satisfies Record<string, { request: z.ZodType; value: z.ZodType }>;

export type CheckpointAction = keyof typeof checkpointActions;
export type CheckpointActionRequest<Action extends CheckpointAction> = z.infer<
  (typeof checkpointActions)[Action]["request"]
>;
export type CheckpointActionValue<Action extends CheckpointAction> = z.infer<
  (typeof checkpointActions)[Action]["value"]
>;

export const isCheckpointAction = (name: string): name is CheckpointAction => Object.hasOwn(checkpointActions, name);
