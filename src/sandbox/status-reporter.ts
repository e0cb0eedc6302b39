// The status of one sandbox as known without asking its machine, and its reports to the account.

import type { SandboxStatus } from "./admin-actions.ts";
import type { CheckpointIndex } from "./checkpoints/checkpoint-index.ts";
import type { Activity } from "./machine/activity.ts";
import type { MachineObserver } from "./machine/machine-collaborators.ts";
import type { MachineController } from "./machine/machine-controller.ts";
import type { MachinePlatform } from "./machine/machine-platform.ts";
import type { PreviewTable } from "./previews/preview-table.ts";
import type { SandboxAccount } from "./sandbox-account.ts";
import type { SandboxRecord } from "./storage/sandbox-record.ts";

interface StatusReporterParts {
  name: string;
  platform: MachinePlatform;
  machine: MachineController;
  activity: Activity;
  account: SandboxAccount;
  record: SandboxRecord;
  previews: PreviewTable;
  checkpoints: CheckpointIndex;
}

export class StatusReporter implements MachineObserver {
  readonly #parts: StatusReporterParts;

  constructor(parts: StatusReporterParts) {
    this.#parts = parts;
    parts.machine.observe(this);
  }

  /** Processes are not counted: only the machine knows them. */
  cachedStatus(): SandboxStatus {
    const { name, machine, activity, record, previews, checkpoints } = this.#parts;
    return {
      name,
      is_responding: true,
      state: machine.isThere ? "awake" : machine.isStarting ? "starting" : "asleep",
      created_at: record.createdAt,
      last_used_at: activity.usedAt ?? record.usedAt,
      disk_bytes: record.diskBytes,
      checkpoint_at: checkpoints.newest()?.created_at ?? null,
      running_processes: 0,
      previews: previews.list(Date.now()),
    };
  }

  async report(): Promise<void> {
    const { account, activity, record } = this.#parts;
    await account.report(() => {
      if (activity.usedAt !== null) record.usedAt = activity.usedAt;
      return this.cachedStatus();
    });
  }

  /** Must also be called when the platform reports that the machine has ended. */
  onMachineChange(): void {
    this.#parts.platform.waitUntil(this.report());
  }
}
