// The part of a Durable Object's SQLite that is used.

export type SqlValue = string | number | null | ArrayBuffer;

export interface Sql {
  exec<Row extends Record<string, SqlValue>>(
    query: string,
    ...bindings: SqlValue[]
  ): {
    /** The only row. Throws when there are none, or several. */
    one(): Row;
    toArray(): Row[];
  };
}
