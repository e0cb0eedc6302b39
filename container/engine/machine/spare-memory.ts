// Remembers in the state directory which environment the last machines were made with. Only its owner may read it.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { StateDir } from "../state-dir.ts";
import type { SpareMemory } from "./spare.ts";

export function spareMemory(state: StateDir): SpareMemory {
  const file = join(state.path, "spare-environment.json");
  return {
    read() {
      try {
        return Environment.parse(JSON.parse(readFileSync(file, "utf8")));
      } catch {
        // Absent or not ours: the first machine then says what a spare should be like.
        return undefined;
      }
    },
    write(environment) {
      const part = join(state.run, "spare-environment.json");
      writeFileSync(part, JSON.stringify(environment), { mode: 0o600 });
      renameSync(part, file);
    },
  };
}

const Environment = z.record(z.string(), z.string());
