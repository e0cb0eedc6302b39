// Which checkpoints a sandbox has and what layers they stand on, in the Durable Object's own database. A row of a stored layer is
// written only when its object is whole; one that is not `stored` is an object that may have to be cleared away.

import type { CheckpointInfo } from "../../contract/checkpoint.ts";

/** A type, not an interface: only that is a row to the database's types. */
export type LayerRow = {
  id: string;
  parent: string | null;
  /** Of its object. */
  key: string;
  bytes: number;
  manifest_bytes: number;
  sha256: string;
  /** 1 where another sandbox may stand on it too. */
  shared: number;
  /** By which its object is known to be needed here; null for the sandbox that made it. */
  mark: string | null;
};

export type CheckpointRow = CheckpointInfo & { layer: string };

export class CheckpointIndex {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS layers (id TEXT PRIMARY KEY, parent TEXT, key TEXT NOT NULL, bytes INTEGER NOT NULL, " +
        "manifest_bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, shared INTEGER NOT NULL, mark TEXT, stored INTEGER NOT NULL)",
    );
    sql.exec(
      "CREATE TABLE IF NOT EXISTS checkpoints (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT, " +
        "kind TEXT NOT NULL, created_at INTEGER NOT NULL, layer TEXT NOT NULL, damaged INTEGER NOT NULL DEFAULT 0, " +
        "bytes INTEGER NOT NULL, files INTEGER NOT NULL, added INTEGER NOT NULL, changed INTEGER NOT NULL, removed INTEGER NOT NULL)",
    );
  }

  /** Newest first; those that are damaged only where asked for. */
  list({ damaged }: { damaged: boolean }): CheckpointRow[] {
    return this.#rows(`SELECT ${COLUMNS} FROM checkpoints WHERE damaged <= ? ORDER BY number DESC`, Number(damaged));
  }

  /** Of an id, or the newest of a name. */
  find(checkpoint: string): CheckpointRow | null {
    const query = `SELECT ${COLUMNS} FROM checkpoints WHERE id = ? OR name = ? ORDER BY id = ? DESC, number DESC LIMIT 1`;
    return this.#rows(query, checkpoint, checkpoint, checkpoint)[0] ?? null;
  }

  newest(): CheckpointRow | null {
    return this.#rows(`SELECT ${COLUMNS} FROM checkpoints WHERE damaged = 0 ORDER BY number DESC LIMIT 1`)[0] ?? null;
  }

  add(row: CheckpointRow): void {
    this.#sql.exec(
      "INSERT INTO checkpoints (id, name, kind, created_at, layer, bytes, files, added, changed, removed) VALUES (?,?,?,?,?,?,?,?,?,?)",
      ...[
        row.id,
        row.name,
        row.kind,
        row.created_at,
        row.layer,
        row.bytes,
        row.files,
        row.added,
        row.changed,
        row.removed,
      ],
    );
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM checkpoints WHERE id = ?", id);
  }

  /** Every checkpoint that stands on the layer is of no use. */
  markDamaged(layer: string): void {
    for (const row of this.list({ damaged: false })) {
      if (!this.chain(row.layer).some(({ id }) => id === layer)) continue;
      this.#sql.exec("UPDATE checkpoints SET damaged = 1 WHERE id = ?", row.id);
    }
  }

  /** The layers that a layer stands on and itself, base first. */
  chain(layer: string): LayerRow[] {
    const chain: LayerRow[] = [];
    for (let id: string | null = layer; id !== null; ) {
      const [row]: LayerRow[] = this.#layers("WHERE id = ?", id);
      if (row === undefined) return [];
      chain.unshift(row);
      id = row.parent;
    }
    return chain;
  }

  /** Before its object is put; `confirm` follows when it is whole. */
  begin(row: LayerRow): void {
    this.#insert(row, 0);
  }

  confirm(layer: string): void {
    this.#sql.exec("UPDATE layers SET stored = 1 WHERE id = ?", layer);
  }

  adopt(row: LayerRow): void {
    this.#insert(row, 1);
  }

  markShared(layer: string): void {
    this.#sql.exec("UPDATE layers SET shared = 1 WHERE id = ?", layer);
  }

  /** Layers on which no checkpoint stands, and those whose objects were never finished. */
  unused(): LayerRow[] {
    const used = new Set(this.list({ damaged: true }).flatMap((row) => this.chain(row.layer).map(({ id }) => id)));
    return this.#layers("").filter(({ id }) => !used.has(id));
  }

  forget(layer: string): void {
    this.#sql.exec("DELETE FROM layers WHERE id = ?", layer);
  }

  usedBytes(): number {
    return this.#sql
      .exec<{ bytes: number }>("SELECT coalesce(sum(bytes), 0) AS bytes FROM layers WHERE stored = 1")
      .one().bytes;
  }

  #insert(row: LayerRow, stored: number): void {
    this.#sql.exec(
      "INSERT INTO layers (id, parent, key, bytes, manifest_bytes, sha256, shared, mark, stored) VALUES (?,?,?,?,?,?,?,?,?)",
      ...[row.id, row.parent, row.key, row.bytes, row.manifest_bytes, row.sha256, row.shared, row.mark, stored],
    );
  }

  #layers(where: string, ...bindings: string[]): LayerRow[] {
    const query = `SELECT id, parent, key, bytes, manifest_bytes, sha256, shared, mark FROM layers ${where}`;
    return this.#sql.exec<LayerRow>(query, ...bindings).toArray();
  }

  #rows(query: string, ...bindings: (string | number)[]): CheckpointRow[] {
    return this.#sql.exec<CheckpointRow>(query, ...bindings).toArray();
  }
}

const COLUMNS = "id, name, kind, created_at, layer, bytes, files, added, changed, removed";
