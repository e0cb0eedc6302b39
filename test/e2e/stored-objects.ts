// The keys of the objects in the embedded R2 of a server, read from its own index.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Server } from "./start.ts";

export function storedObjects({ stateDir }: Pick<Server, "stateDir">): string[] {
  const directory = join(stateDir, "state/v3/r2/miniflare-R2BucketObject");
  return readdirSync(directory)
    .filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
    .flatMap((name) => {
      const database = new DatabaseSync(join(directory, name), { readOnly: true });
      try {
        return database
          .prepare("SELECT key FROM _mf_objects ORDER BY key")
          .all()
          .map(({ key }) => String(key));
      } finally {
        database.close();
      }
    });
}
