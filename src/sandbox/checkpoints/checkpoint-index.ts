// The checkpoints of a sandbox and the layers that they consist of, in the sandbox's database. A checkpoint is a chain of layers,
// base first; each layer is one object in R2. A layer's row is written before its object, and marked `stored` when the object is
// complete. A row without the mark may refer to an incomplete object, which has to be removed.

import type { CheckpointInfo } from "../../contract/checkpoint.ts";
import type { Sql } from "../storage/sql.ts";

export const CHECKPOINT_TABLES = [
  "CREATE TABLE IF NOT EXISTS layers (id TEXT PRIMARY KEY, parent TEXT, key TEXT NOT NULL, bytes INTEGER NOT NULL, " +
    "manifest_bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, shared INTEGER NOT NULL, mark TEXT, stored INTEGER NOT NULL)",
  "CREATE TABLE IF NOT EXISTS checkpoints (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT, " +
    "kind TEXT NOT NULL, created_at INTEGER NOT NULL, layer TEXT NOT NULL, damaged INTEGER NOT NULL DEFAULT 0, " +
    "bytes INTEGER NOT NULL, files INTEGER NOT NULL, added INTEGER NOT NULL, changed INTEGER NOT NULL, removed INTEGER NOT NULL)",
];

/** A type alias, because the database's types do not accept an interface as a row. */
export type LayerRow = {
  id: string;
  parent: string | null;
  /** The key of its object in R2. */
  key: string;
  bytes: number;
  manifest_bytes: number;
  sha256: string;
  /** 1 when another sandbox may use the layer too, else 0. */
  shared: number;
  /** The mark in R2 with which this sandbox keeps the object; null in the sandbox that created the layer. */
  mark: string | null;
};

export type CheckpointRow = CheckpointInfo & { layer: string };

export class CheckpointIndex {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Newest first. `damaged` includes the checkpoints that are damaged. */
  list({ damaged }: { damaged: boolean }): CheckpointRow[] {
    return this.#rows(`SELECT ${COLUMNS} FROM checkpoints WHERE damaged <= ? ORDER BY number DESC`, Number(damaged));
  }

  /** Finds the checkpoint with this id, otherwise the newest one with this name. */
  find(checkpoint: string): CheckpointRow | null {
    const query = `SELECT ${COLUMNS} FROM checkpoints WHERE id = ? OR name = ? ORDER BY id = ? DESC, number DESC LIMIT 1`;
    return this.#rows(query, checkpoint, checkpoint, checkpoint)[0] ?? null;
  }

  /** Returns the intact named checkpoints that were taken until this one, which is among them if it has a name; oldest first. */
  namedUntil(id: string): CheckpointRow[] {
    return this.#rows(
      `SELECT ${COLUMNS} FROM checkpoints WHERE name IS NOT NULL AND damaged = 0 ` +
        "AND number <= (SELECT number FROM checkpoints WHERE id = ?) ORDER BY number",
      id,
    );
  }

  /** Returns the newest checkpoint that is not damaged. */
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

  /** Marks every checkpoint that uses the layer. */
  markDamaged(layer: string): void {
    for (const row of this.list({ damaged: false })) {
      if (!this.chain(row.layer).some(({ id }) => id === layer)) continue;
      this.#sql.exec("UPDATE checkpoints SET damaged = 1 WHERE id = ?", row.id);
    }
  }

  /** Returns the layer and those that it builds on, base first; empty when one of them is not recorded. */
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

  /** Records a layer before its object is stored; `confirm` follows when the object is complete. */
  begin(row: LayerRow): void {
    this.#insert(row, 0);
  }

  confirm(layer: string): void {
    this.#sql.exec("UPDATE layers SET stored = 1 WHERE id = ?", layer);
  }

  /** Records a layer that another sandbox has stored. */
  adopt(row: LayerRow): void {
    this.#insert(row, 1);
  }

  markShared(layer: string): void {
    this.#sql.exec("UPDATE layers SET shared = 1 WHERE id = ?", layer);
  }

  /** Returns the layers that no checkpoint uses, including those whose objects were never completed. */
  unused(): LayerRow[] {
    const all = this.#layers("");
    const parents = new Map(all.map(({ id, parent }) => [id, parent]));
    const used = new Set<string>();
    for (const { layer } of this.#sql.exec<{ layer: string }>("SELECT DISTINCT layer FROM checkpoints").toArray()) {
      for (let id: string | null = layer; id !== null && !used.has(id); id = parents.get(id) ?? null) used.add(id);
    }
    return all.filter(({ id }) => !used.has(id));
  }

  removeLayer(layer: string): void {
    this.#sql.exec("DELETE FROM layers WHERE id = ?", layer);
  }

  /** Returns the total size of the stored layers. */
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

/** Converts a row to a CheckpointInfo, which does not name the layer. */
export function infoOf({ layer: _, ...info }: CheckpointRow): CheckpointInfo {
  return info;
}
