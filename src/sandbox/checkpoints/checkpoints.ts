// The interface through which tools use the checkpoints of a sandbox. Cloudflare's types stay behind it.

import type {
  CheckpointDeleted,
  CheckpointDiff,
  CheckpointDiffRequest,
  CheckpointInfo,
  CheckpointList,
  CheckpointRestored,
  CheckpointSummary,
} from "../../contract/checkpoint.ts";
import type { Answer } from "../sandbox.ts";

/** Nothing here rejects for a foreseeable fault. Where a checkpoint is named, its id or its name will do. */
export interface Checkpoints {
  /** Stores the files as they are now; null makes an automatic one. Starts no machine: a sandbox asleep is stored already. */
  create(name: string | null): Promise<Answer<CheckpointInfo>>;
  list(): Promise<Answer<CheckpointList>>;
  /** Starts a machine where none is up: that is where files are compared. */
  diff(request: CheckpointDiffRequest): Promise<Answer<CheckpointDiff>>;
  /** Replaces the files by those of the checkpoint, once the present ones are stored. What runs goes on running. */
  restore(checkpoint: string): Promise<Answer<CheckpointRestored>>;
  /** Makes the sandbox `into`, which must not have been used, start from the checkpoint; null is the state of now. */
  fork(checkpoint: string | null, into: string): Promise<Answer<CheckpointInfo>>;
  delete(checkpoint: string): Promise<Answer<CheckpointDeleted>>;
  /** Everything stored goes; for a sandbox that is destroyed. */
  deleteAll(): Promise<Answer<{ freed_bytes: number }>>;
  summary(): Promise<Answer<CheckpointSummary>>;
}
