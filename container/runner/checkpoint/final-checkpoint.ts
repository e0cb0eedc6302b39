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
  checkpoints.isWatched = wait_ms > 0;
  await checkpoints.changed.waitUntil(() => checkpoints.isEnding, wait_ms);
  return succeed({ ending: checkpoints.isEnding });
}

/**
 * Resolves when the machine may end: when its files have been stored once more, or the server has done nothing for that in a
 * while. The last answers may still be on their way.
 */
export async function awaitFinalCheckpoint(checkpoints: CheckpointState): Promise<void> {
  const { requested, changed } = checkpoints;
  checkpoints.isEnding = true;
  if (!checkpoints.isWatched) return;
  // One that was requested before is finished first; what changed since is in the next one only.
  const isStored = () => checkpoints.requested > requested && checkpoints.finished >= checkpoints.requested;
  await checkpoints.whileActive(async () => changed.notify());
  for (const deadline = performance.now() + limits.checkpointEndingMaxMs; !isStored(); ) {
    const remaining = Math.min(limits.checkpointEndingMs - checkpoints.idleMs, deadline - performance.now());
    if (remaining <= 0) return;
    await changed.wait(Math.ceil(remaining));
  }
}
