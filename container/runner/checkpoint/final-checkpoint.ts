// The final checkpoint: before a machine ends, the server may store its files once more, if it is watching for the end.

import type { CheckpointWatchRequest, CheckpointWatchResult } from "../../../src/contract/checkpoint-watch.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import type { CheckpointState } from "./state.ts";

/**
 * checkpoint-watch: waits for the machine to be told to end. With a wait of 0 the server stops watching, because it has stored
 * the files and ends the machine itself.
 */
export async function checkpointWatch(
  { wait_ms }: CheckpointWatchRequest,
  { checkpoints }: RunnerContext,
): Promise<Result<CheckpointWatchResult>> {
  if (wait_ms === 0) {
    checkpoints.watchers = 0;
    return succeed({ ending: checkpoints.isEnding });
  }
  checkpoints.watchers += 1;
  await checkpoints.changed.waitUntil(() => checkpoints.isEnding, wait_ms);
  checkpoints.watchers = Math.max(0, checkpoints.watchers - 1);
  return succeed({ ending: checkpoints.isEnding });
}

/** Resolves when the machine may end. The last answers may still be on their way. */
export async function awaitFinalCheckpoint(checkpoints: CheckpointState): Promise<void> {
  checkpoints.isEnding = true;
  if (checkpoints.watchers === 0) return;
  const { requested, changed } = checkpoints;
  changed.notify();
  if (!(await changed.waitUntil(() => checkpoints.requested > requested, limits.checkpointEndingMs))) return;
  await changed.waitUntil(() => checkpoints.finished >= checkpoints.requested, limits.checkpointEndingMaxMs);
}
