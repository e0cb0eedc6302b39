// The objects in a server's local R2, read from the database that Miniflare keeps of them.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Server } from "./start-server.ts";

export const storedObjects = (server: Pick<Server, "stateDir">): string[] => rows(server).map(({ key }) => key);

/** Changes one byte in the middle of an object. */
export function damageObject(server: Pick<Server, "stateDir">, key: string): void {
  const blob = rows(server).find((row) => row.key === key)?.blob;
  if (blob === undefined) throw new Error(`no object ${key}`);
  const file = join(server.stateDir, "state/v3/r2/sandbox-mcp-checkpoints/blobs", blob);
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

function rows({ stateDir }: Pick<Server, "stateDir">): { key: string; blob: string }[] {
  const directory = join(stateDir, "state/v3/r2/miniflare-R2BucketObject");
  return readdirSync(directory)
    .filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
    .flatMap((name) => {
      const database = new DatabaseSync(join(directory, name), { readOnly: true });
      try {
        return database
          .prepare("SELECT key, blob_id FROM _mf_objects ORDER BY key")
          .all()
          .map(({ key, blob_id }) => ({ key: String(key), blob: String(blob_id) }));
      } finally {
        database.close();
      }
    });
}
