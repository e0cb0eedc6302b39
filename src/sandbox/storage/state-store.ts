// Small JSON values that code in an isolate stores between runs, in the database of one sandbox.

import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { Sql } from "./sql.ts";
import type { StateRequest } from "./state.ts";

export const STATE_TABLE = "CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT NOT NULL)";

export class StateStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  run(request: StateRequest): Result<unknown> {
    switch (request.action) {
      case "get":
        return succeed(this.#get(request.key));
      case "set":
        return this.#set(request.key, request.value);
      case "delete":
        return succeed(
          this.#sql.exec("DELETE FROM state WHERE key = ? RETURNING key", request.key).toArray().length > 0,
        );
      case "list":
        return succeed(this.#list(request.prefix));
    }
  }

  clear(): void {
    this.#sql.exec("DELETE FROM state");
  }

  #get(key: string): unknown {
    const [row] = this.#sql.exec<{ value: string }>("SELECT value FROM state WHERE key = ?", key).toArray();
    return row === undefined ? undefined : JSON.parse(row.value);
  }

  #set(key: string, value: string): Result<null> {
    if (value.length > limits.stateValueMaxChars) {
      const [actual, limit] = [value.length, limits.stateValueMaxChars];
      return fail({ reason: "too_large", subject: `The value of state "${key}"`, actual, limit, unit: "characters" });
    }
    if (this.#count() >= limits.stateKeysMax && this.#get(key) === undefined) {
      return fail({ reason: "quota_exceeded", subject: "keys of state in a sandbox", limit: limits.stateKeysMax });
    }
    this.#sql.exec("INSERT OR REPLACE INTO state (key, value) VALUES (?, ?)", key, value);
    return succeed(null);
  }

  #list(prefix: string): string[] {
    const rows = this.#sql.exec<{ key: string }>(
      "SELECT key FROM state WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key",
      prefix,
    );
    return rows.toArray().map(({ key }) => key);
  }

  #count(): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM state").one().count;
  }
}
