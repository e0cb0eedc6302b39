// Migrates the storage of a Durable Object to the schema of this version of the code. The version is stored beside the data.
// Storage without a version may have the tables of version 1 already, so the first step keeps existing tables.

import type { KeyValues } from "./key-values.ts";
import type { Sql } from "./sql.ts";

export interface VersionedStorage {
  sql: Sql;
  kv: KeyValues;
  transactionSync<Value>(work: () => Value): Value;
}

/** The step at index n brings version n to version n + 1. A step that was released never changes; new ones are appended. */
export type Migrations = readonly ((sql: Sql) => void)[];

/** Throws when the storage was written by a later version of the code. */
export function migrate(storage: VersionedStorage, migrations: Migrations): void {
  refuseLaterVersion(storage.kv, migrations);
  const version = storedVersion(storage.kv);
  if (version === migrations.length) return;
  storage.transactionSync(() => {
    for (const step of migrations.slice(version)) step(storage.sql);
    storage.kv.put(VERSION_KEY, migrations.length);
  });
}

/** Throws when the storage was written by a later version of the code: its data could be misread, or overwritten. */
export function refuseLaterVersion(kv: KeyValues, migrations: Migrations): void {
  const version = storedVersion(kv);
  if (version <= migrations.length) return;
  throw new Error(
    `The stored data has schema version ${version}, and this code supports versions up to ${migrations.length}: deploy the later version of the code again`,
  );
}

const storedVersion = (kv: KeyValues): number => kv.get<number>(VERSION_KEY) ?? 0;

const VERSION_KEY = "schema_version";
