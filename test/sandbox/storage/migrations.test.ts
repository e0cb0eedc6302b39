// Which databases are opened: of today, of before there was a version, of an earlier version and of a later one.

import { expect, test } from "vitest";
import { openStores } from "../../../src/sandbox/sandbox-stores.ts";
import { type Migrations, migrate, refuseLaterVersion } from "../../../src/sandbox/storage/migrations.ts";
import { SANDBOX_MIGRATIONS } from "../../../src/sandbox/storage/schema.ts";
import { memoryStorage } from "../memory-sql.ts";

const steps: Migrations = [
  (sql) => sql.exec("CREATE TABLE IF NOT EXISTS notes (text TEXT)"),
  (sql) => sql.exec("ALTER TABLE notes ADD COLUMN author TEXT"),
];

const columns = ({ sql }: ReturnType<typeof memoryStorage>) =>
  sql
    .exec<{ name: string }>("SELECT name FROM pragma_table_info('notes')")
    .toArray()
    .map(({ name }) => name);

test("migrate() makes a new database, once", () => {
  const storage = memoryStorage();
  migrate(storage, steps);
  expect([columns(storage), storage.kv.get("schema_version")]).toEqual([["text", "author"], 2]);
  const writes = storage.sql.writes();
  migrate(storage, steps);
  expect(storage.sql.writes()).toBe(writes);
});

test("migrate() brings a database without a version, and one of an earlier version, up to date with their rows", () => {
  for (const version of [undefined, 1]) {
    const storage = memoryStorage();
    storage.sql.exec("CREATE TABLE notes (text TEXT)");
    storage.sql.exec("INSERT INTO notes VALUES ('kept')");
    if (version !== undefined) storage.kv.put("schema_version", version);
    migrate(storage, steps);
    expect(storage.sql.exec("SELECT * FROM notes").one()).toEqual({ text: "kept", author: null });
  }
});

test("migrate() refuses a database of a later version and leaves it as it is", () => {
  const storage = memoryStorage();
  storage.kv.put("schema_version", 3);
  expect(() => migrate(storage, steps)).toThrow(/schema version 3, and this code supports versions up to 2/);
  expect(() => refuseLaterVersion(storage.kv, steps)).toThrow(/schema version 3/);
  expect([columns(storage), storage.kv.get("schema_version")]).toEqual([[], 3]);
});

test("migrate() changes nothing when a step fails", () => {
  const storage = memoryStorage();
  const failing: Migrations = [
    ...steps,
    () => {
      throw new Error("no");
    },
  ];
  expect(() => migrate(storage, failing)).toThrow("no");
  expect([columns(storage), storage.kv.get("schema_version")]).toEqual([[], undefined]);
});

/** The tables and keys as they were written before there was a version. */
const earlierTables = [
  "CREATE TABLE processes (process_id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, boot_id TEXT)",
  "INSERT INTO processes VALUES ('job', 'print', 'boot')",
  "CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
  "INSERT INTO state VALUES ('count', '3')",
  "CREATE TABLE previews (port INTEGER PRIMARY KEY, token TEXT NOT NULL, wake INTEGER NOT NULL, command TEXT, expires_at INTEGER NOT NULL)",
  "INSERT INTO previews VALUES (3000, 'token', 1, 'serve', 9000000000000)",
  "CREATE TABLE layers (id TEXT PRIMARY KEY, parent TEXT, key TEXT NOT NULL, bytes INTEGER NOT NULL, manifest_bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, shared INTEGER NOT NULL, mark TEXT, stored INTEGER NOT NULL)",
  "INSERT INTO layers VALUES ('layer', NULL, 'layers/x/layer', 10, 5, 'hash', 0, NULL, 1)",
  "CREATE TABLE checkpoints (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT, kind TEXT NOT NULL, created_at INTEGER NOT NULL, layer TEXT NOT NULL, damaged INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL, files INTEGER NOT NULL, added INTEGER NOT NULL, changed INTEGER NOT NULL, removed INTEGER NOT NULL)",
  "INSERT INTO checkpoints VALUES (7, 'c1', 'first', 'named', 1, 'layer', 0, 10, 1, 1, 0, 0)",
];

test("a sandbox from before there was a version opens with everything that it stored", () => {
  const storage = memoryStorage();
  for (const statement of earlierTables) storage.sql.exec(statement);
  const keys = { boot_id: "boot", created_at: 5, object_name: "alice/default", checkpoint_whole: "boot" };
  for (const [key, value] of Object.entries({ ...keys, checkpoint_anchor: "layer", used_at: 6, disk_bytes: 7 })) {
    storage.kv.put(key, value);
  }
  const stores = openStores(storage, undefined);
  const { record, checkpointState } = stores;
  expect(stores.ledger.find("job")).toEqual({ fingerprint: "print", bootId: "boot" });
  expect(stores.state.run({ action: "get", key: "count" })).toEqual({ ok: true, value: 3 });
  expect(stores.previews.list(0)).toMatchObject([{ port: 3000, label: "3000-token", wake: true, command: "serve" }]);
  expect(stores.checkpointIndex.newest()).toMatchObject({ id: "c1", name: "first", layer: "layer" });
  expect(stores.checkpointIndex.usedBytes()).toBe(10);
  expect([record.objectName, record.bootId, record.createdAt, record.usedAt, record.diskBytes]).toEqual([
    "alice/default",
    "boot",
    5,
    6,
    7,
  ]);
  expect(checkpointState.cleanStop).toBe("boot");
  expect(storage.kv.get("schema_version")).toBe(SANDBOX_MIGRATIONS.length);
});
