// The part of a Durable Object's SQLite that this code uses.

export type SqlValue = string | number | null | ArrayBuffer;

export interface Sql {
  exec<Row extends Record<string, SqlValue>>(
    query: string,
    ...bindings: SqlValue[]
  ): {
    /** Returns the only row. Throws when there are none or several. */
    one(): Row;
    toArray(): Row[];
  };
}
