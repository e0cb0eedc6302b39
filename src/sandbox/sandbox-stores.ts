// Everything that one sandbox stores in its Durable Object. Each store owns its tables and keys; this file only lists them.

import { CheckpointIndex } from "./checkpoints/checkpoint-index.ts";
import { CheckpointState } from "./checkpoints/checkpoint-state.ts";
import { RunningProcesses } from "./checkpoints/running-processes.ts";
import { ProcessLedger } from "./exec/process-ledger.ts";
import { Notices } from "./notices.ts";
import { PreviewTable } from "./previews/preview-table.ts";
import { SettingsStore } from "./settings/settings-store.ts";
import { migrate, type VersionedStorage } from "./storage/migrations.ts";
import { SandboxRecord } from "./storage/sandbox-record.ts";
import { SANDBOX_MIGRATIONS } from "./storage/schema.ts";
import { StateStore } from "./storage/state-store.ts";

export interface SandboxStores {
  record: SandboxRecord;
  settings: SettingsStore;
  notices: Notices;
  state: StateStore;
  ledger: ProcessLedger;
  previews: PreviewTable;
  processes: RunningProcesses;
  checkpointIndex: CheckpointIndex;
  checkpointState: CheckpointState;
}

/** `objectName` is the name of the Durable Object, if known. */
export function openStores(storage: VersionedStorage, objectName: string | undefined): SandboxStores {
  const { sql, kv } = storage;
  migrate(storage, SANDBOX_MIGRATIONS);
  return {
    record: new SandboxRecord(kv, objectName),
    settings: new SettingsStore(kv),
    notices: new Notices(kv),
    state: new StateStore(sql),
    ledger: new ProcessLedger(sql),
    previews: new PreviewTable(sql),
    processes: new RunningProcesses(kv),
    checkpointIndex: new CheckpointIndex(sql),
    checkpointState: new CheckpointState(kv),
  };
}

/** Clears the stores of a destroyed sandbox, except its checkpoints, which have a separate action. */
export function clearStores({ record, settings, notices, state, ledger, previews, processes }: SandboxStores): void {
  for (const store of [record, settings, notices, state, ledger, previews, processes]) store.clear();
}
