// A database in memory, with as much of the interface of a Durable Object's as is used.

import { DatabaseSync } from "node:sqlite";
import type { Sql } from "../../src/egress/host-activity-log.ts";

export interface MemorySql extends Sql {
  /** Those that change something, so far. */
  writes(): number;
}

export function memorySql(): MemorySql {
  const database = new DatabaseSync(":memory:");
  let writes = 0;
  return {
    writes: () => writes,
    exec(query, ...bindings) {
      if (!query.startsWith("SELECT")) writes += 1;
      const rows = database.prepare(query).all(...bindings);
      return { one: () => rows[0] ?? {}, toArray: () => rows };
    },
  };
}
