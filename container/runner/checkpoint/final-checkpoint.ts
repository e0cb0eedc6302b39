// The last chance: a machine that is told to end lets its files be stored first, where somebody is there to do it.

import type { CheckpointWatchRequest, CheckpointWatchResult } from "../../../src/contract/checkpoint-watch.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { Machine } from "../runner-context.ts";
import type { CheckpointState } from "./state.ts";

/** A wait of 0 tells that nobody watches any more: the machine is then ended by whoever stored its files. */
export async function checkpointWatch(
  { wait_ms }: CheckpointWatchRequest,
  { checkpoints }: Machine,
): Promise<Result<CheckpointWatchResult>> {
  if (wait_ms === 0) {
    checkpoints.watchers = 0;
    return succeed({ ending: checkpoints.ending });
  }
  checkpoints.watchers += 1;
  await checkpoints.bell.until(() => checkpoints.ending, wait_ms);
  checkpoints.watchers = Math.max(0, checkpoints.watchers - 1);
  return succeed({ ending: checkpoints.ending });
}

/** Resolves when the machine may end; what was answered last may still be on its way. */
export async function lastCheckpoint(checkpoints: CheckpointState): Promise<void> {
  checkpoints.ending = true;
  if (checkpoints.watchers === 0) return;
  const { asked, bell } = checkpoints;
  bell.ring();
  if (!(await bell.until(() => checkpoints.asked > asked, limits.checkpointEndingMs))) return;
  await bell.until(() => checkpoints.done >= checkpoints.asked, limits.checkpointEndingMaxMs);
}
