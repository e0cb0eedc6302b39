// Restores the files of a machine that has just come up, before any command runs in it, from the newest intact checkpoint.

import type { InfoResult } from "../../contract/info.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { MachinePreparation, NewMachine } from "../machine/machine-collaborators.ts";
import type { RunnerClient } from "../machine/runner-client.ts";
import type { SandboxRecord } from "../storage/sandbox-record.ts";
import { asFailure } from "./as-failure.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { infoOf } from "./checkpoint-index.ts";
import { type RestoredFiles, restartNotice } from "./restart-notice.ts";
import { damagedFailure, restoreFiles } from "./restore-files.ts";
import type { RunningProcesses } from "./running-processes.ts";
import type { CheckpointStorage } from "./store-files.ts";

interface FilePreparationParts {
  storage: CheckpointStorage;
  /** Sends requests to the machine directly, because the controller accepts calls only after the preparation. */
  runner: RunnerClient;
  changes: ChangeTracker;
  processes: RunningProcesses;
  record: SandboxRecord;
}

export class FilePreparation implements MachinePreparation {
  readonly #parts: FilePreparationParts;

  constructor(parts: FilePreparationParts) {
    this.#parts = parts;
  }

  async prepare(info: InfoResult, { isFirst, isUntouched }: NewMachine): Promise<Result<string>> {
    const { storage, runner, changes, processes, record } = this.#parts;
    const files = await asFailure(() => restoreNewest(storage, runner, info, isUntouched));
    if (!files.ok) {
      const why = "message" in files.failure ? files.failure.message : files.failure.reason;
      const message = `its files could not be restored (${why})`;
      return fail({ reason: "machine_unavailable", message, retry_after_ms: 5_000 });
    }
    const endedCleanly = storage.state.cleanStop === record.bootId;
    const lost = processes.list();
    const notice = restartNotice({ isFirst, endedCleanly, files: files.value, processes: lost, now: Date.now() });
    processes.clear();
    changes.reset();
    return succeed(notice);
  }
}

/**
 * After a failure the machine has no files and must not be used. Only a machine that no command can have touched is believed that a
 * checkpoint is damaged, because no later machine starts from such a one.
 */
async function restoreNewest(
  storage: CheckpointStorage,
  runner: RunnerClient,
  info: InfoResult,
  isUntouched: boolean,
): Promise<Result<RestoredFiles>> {
  const { index } = storage;
  const restored: RestoredFiles = { checkpoint: null, damaged: [], differing: 0, trouble: "" };
  for (let newest = index.newest(); newest !== null; newest = index.newest()) {
    if (info.restored === newest.layer) return succeed({ ...restored, checkpoint: infoOf(newest) });
    const placed = await restoreFiles(storage, runner, newest);
    if (!placed.ok) return placed;
    if ("damaged" in placed.value && !isUntouched) return damagedFailure(newest.id, placed.value.why);
    if ("damaged" in placed.value) {
      restored.damaged.push({ id: newest.id, why: placed.value.why });
      index.markDamaged(placed.value.damaged);
      continue;
    }
    const { differing, trouble } = placed.value;
    return succeed({ ...restored, checkpoint: infoOf(newest), differing, trouble });
  }
  if (index.list({ damaged: true }).length === 0) return succeed(restored);
  return fail({
    reason: "checkpoint_failed",
    message: "none of its checkpoints can be used; destroy the sandbox with_checkpoints: true to begin anew",
  });
}
