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
import type { Answer } from "../answer.ts";

/** Nothing here rejects for a foreseeable fault. A checkpoint is named by its id, or by its name. */
export interface Checkpoints {
  /** Stores the present files; a name of null makes an automatic checkpoint. The files of a sandbox that is asleep are stored already. */
  create(name: string | null): Promise<Answer<CheckpointInfo>>;
  list(): Promise<Answer<CheckpointList>>;
  /** Starts a machine where none is up, because files are compared there. */
  diff(request: CheckpointDiffRequest): Promise<Answer<CheckpointDiff>>;
  /** Replaces the files by those of the checkpoint, after the present ones are stored. Processes go on running. */
  restore(checkpoint: string): Promise<Answer<CheckpointRestored>>;
  /** Makes the sandbox `into`, which must not have been used, start from the checkpoint; null is the present files. */
  fork(checkpoint: string | null, into: string): Promise<Answer<CheckpointInfo>>;
  delete(checkpoint: string): Promise<Answer<CheckpointDeleted>>;
  /** Deletes everything that is stored. For a sandbox that is destroyed. */
  deleteAll(): Promise<Answer<{ freed_bytes: number }>>;
  summary(): Promise<Answer<CheckpointSummary>>;
}
