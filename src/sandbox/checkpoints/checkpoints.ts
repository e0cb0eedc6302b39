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

/** No method rejects for a foreseeable fault. A checkpoint is identified by its id or its name. */
export interface Checkpoints {
  /**
   * Stores the current files; with the name null, as an automatic checkpoint. The files of a sleeping sandbox are stored already.
   */
  create(name: string | null): Promise<Answer<CheckpointInfo>>;
  list(): Promise<Answer<CheckpointList>>;
  /**
   * Starts a machine if none is up, because the comparison runs there. Checkpoints of other sandboxes of the principal can be
   * compared by their ids.
   */
  diff(request: CheckpointDiffRequest): Promise<Answer<CheckpointDiff>>;
  /** Replaces the files with those of the checkpoint, after storing the current ones. Processes continue to run. */
  restore(checkpoint: string): Promise<Answer<CheckpointRestored>>;
  /**
   * Makes the sandbox `into`, which must be unused, start from the checkpoint; null means the current files. The checkpoints that
   * were named until then come with it.
   */
  fork(checkpoint: string | null, into: string): Promise<Answer<CheckpointInfo>>;
  delete(checkpoint: string): Promise<Answer<CheckpointDeleted>>;
  /** Deletes everything that is stored, for a sandbox that is being destroyed. */
  deleteAll(): Promise<Answer<{ freed_bytes: number }>>;
  summary(): Promise<Answer<CheckpointSummary>>;
}
