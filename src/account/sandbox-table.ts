// The sandboxes of one principal with their last known status, in the database of the principal's Durable Object.

import { SandboxStatus } from "../sandbox/admin-actions.ts";
import type { Migrations } from "../sandbox/storage/migrations.ts";
import type { Sql } from "../sandbox/storage/sql.ts";

export const ACCOUNT_MIGRATIONS: Migrations = [
  (sql) => {
    sql.exec(
      "CREATE TABLE IF NOT EXISTS sandboxes (name TEXT PRIMARY KEY, awake INTEGER NOT NULL, status TEXT NOT NULL)",
    );
  },
];

export interface SandboxRow {
  status: SandboxStatus;
  /** The sandbox holds one of the slots for awake machines, even before its machine is up. */
  isAwake: boolean;
}

type StoredRow = { awake: number; status: string };

export class SandboxTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Ordered by name. */
  list(): SandboxRow[] {
    return this.#sql.exec<StoredRow>("SELECT awake, status FROM sandboxes ORDER BY name").toArray().map(rowOf);
  }

  find(name: string): SandboxRow | null {
    const [row] = this.#sql.exec<StoredRow>("SELECT awake, status FROM sandboxes WHERE name = ?", name).toArray();
    return row === undefined ? null : rowOf(row);
  }

  save(status: SandboxStatus): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO sandboxes (name, awake, status) VALUES (?, ?, ?)",
      ...[status.name, status.state === "asleep" ? 0 : 1, JSON.stringify(status)],
    );
  }

  setAwake(name: string, isAwake: boolean): void {
    this.#sql.exec("UPDATE sandboxes SET awake = ? WHERE name = ?", isAwake ? 1 : 0, name);
  }

  remove(name: string): void {
    this.#sql.exec("DELETE FROM sandboxes WHERE name = ?", name);
  }
}

const rowOf = ({ awake, status }: StoredRow): SandboxRow => ({
  status: SandboxStatus.parse(JSON.parse(status)),
  isAwake: awake === 1,
});
