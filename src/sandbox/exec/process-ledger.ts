// Remembers the process ids that callers chose, beyond the life of a machine, so that a repeated call never runs twice.

import { type ExecRequest, repeatKey } from "../../contract/exec.ts";
import { limits } from "../../contract/limits.ts";

export interface LedgerEntry {
  fingerprint: string;
  /** The machine it was handed to; null until one was there. */
  bootId: string | null;
}

export class ProcessLedger {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS processes (process_id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, boot_id TEXT)",
    );
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
}

/** The same for two calls exactly when they ask for the same command. */
export async function fingerprintOf(request: ExecRequest): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(repeatKey(request)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
