// The last chance: a machine that is told to end lets its files be stored first, where somebody is there to do it.

import type { CheckpointWatchRequest, CheckpointWatchResult } from "../../../src/contract/checkpoint-watch.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import type { CheckpointState } from "./state.ts";

/** A wait of 0 tells that nobody watches any more: the machine is then ended by whoever stored its files. */
export async function checkpointWatch(
  { wait_ms }: CheckpointWatchRequest,
  { checkpoints }: RunnerContext,
): Promise<Result<CheckpointWatchResult>> {
  if (wait_ms === 0) {
    checkpoints.watchers = 0;
    return succeed({ ending: checkpoints.ending });
  }
  checkpoints.watchers += 1;
  await checkpoints.notifier.waitUntil(() => checkpoints.ending, wait_ms);
  checkpoints.watchers = Math.max(0, checkpoints.watchers - 1);
  return succeed({ ending: checkpoints.ending });
}

/** Resolves when the machine may end; what was answered last may still be on its way. */
export async function awaitFinalCheckpoint(checkpoints: CheckpointState): Promise<void> {
  checkpoints.ending = true;
  if (checkpoints.watchers === 0) return;
  const { asked, notifier } = checkpoints;
  notifier.notify();
  if (!(await notifier.waitUntil(() => checkpoints.asked > asked, limits.checkpointEndingMs))) return;
  await notifier.waitUntil(() => checkpoints.done >= checkpoints.asked, limits.checkpointEndingMaxMs);
}
