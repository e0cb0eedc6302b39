// The schema of a sandbox's database, as migrations. Each table is described by the store that owns it.

import { EGRESS_TABLE } from "../../egress/host-activity-log.ts";
import { CHECKPOINT_TABLES } from "../checkpoints/checkpoint-index.ts";
import { PROCESS_TABLE } from "../exec/process-ledger.ts";
import { PREVIEW_TABLE } from "../previews/preview-table.ts";
import type { Migrations } from "./migrations.ts";
import { STATE_TABLE } from "./state-store.ts";

export const SANDBOX_MIGRATIONS: Migrations = [
  (sql) => {
    for (const table of [PROCESS_TABLE, STATE_TABLE, PREVIEW_TABLE, EGRESS_TABLE, ...CHECKPOINT_TABLES])
      sql.exec(table);
  },
];
