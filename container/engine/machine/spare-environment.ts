// The environment of the last machine, kept in the state directory, so that a new engine can make a spare before it is first
// asked for a machine. Only the engine's user may read it.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { StateDir } from "../state-dir.ts";

export class SpareEnvironment {
  readonly #file: string;
  readonly #partFile: string;

  constructor(state: StateDir) {
    this.#file = join(state.path, "spare-environment.json");
    this.#partFile = join(state.run, "spare-environment.json");
  }

  /** Undefined where there is none that can be read: the first machine is started without a spare then. */
  read(): Record<string, string> | undefined {
    try {
      return Environment.parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch {
      return undefined;
    }
  }

  write(environment: Record<string, string>): void {
    writeFileSync(this.#partFile, JSON.stringify(environment), { mode: 0o600 });
    renameSync(this.#partFile, this.#file);
  }
}

const Environment = z.record(z.string(), z.string());
