// Records process ids, and outlives the machine: ids that callers chose, so that a repeated call never runs a command twice, and
// ids of processes that outlived their call, so that later questions about them can be answered.

import { type ExecRequest, repeatKey } from "../../contract/exec.ts";
import { limits } from "../../contract/limits.ts";
import type { Sql } from "../storage/sql.ts";

export const PROCESS_TABLE =
  "CREATE TABLE IF NOT EXISTS processes (process_id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, boot_id TEXT)";

export interface LedgerEntry {
  /** Identifies the command; see fingerprintOf(). */
  fingerprint: string;
  /** The boot id of the machine that the command was sent to; null while it has not been sent. */
  bootId: string | null;
}

export class ProcessLedger {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(processId: string): LedgerEntry | null {
    const rows = this.#sql.exec<{ fingerprint: string; boot_id: string | null }>(
      "SELECT fingerprint, boot_id FROM processes WHERE process_id = ?",
      processId,
    );
    const [row] = rows.toArray();
    return row === undefined ? null : { fingerprint: row.fingerprint, bootId: row.boot_id };
  }

  add(processId: string, fingerprint: string): void {
    this.#sql.exec("INSERT OR IGNORE INTO processes (process_id, fingerprint) VALUES (?, ?)", processId, fingerprint);
    this.#sql.exec(
      "DELETE FROM processes WHERE rowid <= (SELECT max(rowid) FROM processes) - ?",
      limits.droppedProcessIdsMax,
    );
  }

  remove(processId: string): void {
    this.#sql.exec("DELETE FROM processes WHERE process_id = ?", processId);
  }

  setBoot(processId: string, bootId: string): void {
    this.#sql.exec("UPDATE processes SET boot_id = ? WHERE process_id = ?", bootId, processId);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM processes");
  }
}

/** Equal for two calls exactly when they run the same command in the same way. */
export async function fingerprintOf(request: ExecRequest): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(repeatKey(request)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
