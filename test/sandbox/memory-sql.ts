// Storage in memory with as much of the interface of a Durable Object's as is used: a real SQLite database, and key-value storage.

import { DatabaseSync } from "node:sqlite";
import type { KeyValues } from "../../src/sandbox/storage/key-values.ts";
import type { VersionedStorage } from "../../src/sandbox/storage/migrations.ts";
import type { Sql } from "../../src/sandbox/storage/sql.ts";
import { MemoryKv } from "./memory-kv.ts";

export interface MemorySql extends Sql {
  /** How many statements have changed something so far. */
  writes(): number;
}

export function memorySql(database = new DatabaseSync(":memory:")): MemorySql {
  let writes = 0;
  return {
    writes: () => writes,
    exec<Row>(query: string, ...bindings: (string | number | null | ArrayBuffer)[]) {
      if (!query.startsWith("SELECT")) writes += 1;
      const values = bindings.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
      const rows = database.prepare(query).all(...values) as Row[];
      return {
        one() {
          const [row] = rows;
          if (row === undefined || rows.length > 1) throw new Error(`Expected one row and got ${rows.length}`);
          return row;
        },
        toArray: () => rows,
      };
    },
  };
}

export interface MemoryStorage extends VersionedStorage {
  kv: KeyValues & { keys(): string[] };
  sql: MemorySql;
}

export function memoryStorage(): MemoryStorage {
  const database = new DatabaseSync(":memory:");
  const sql = memorySql(database);
  return {
    sql,
    kv: new MemoryKv(),
    transactionSync(work) {
      database.exec("BEGIN");
      try {
        const value = work();
        database.exec("COMMIT");
        return value;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}
