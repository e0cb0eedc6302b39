// Empty files that take inodes of the disk before any command runs, and are given back while files are restored: a restore needs
// some directories of its own beside the files, and the disk of the next machine has no more inodes than this one.

import { closeSync, mkdirSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

export class InodeReserve {
  readonly #directory: string;
  #isKept = false;

  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, "inodes");
  }

  /** Must be called before a command can use up the inodes. Where none are left, the next call tries again. */
  keep(): void {
    if (this.#isKept) return;
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      for (let index = 0; index < FILES; index += 1) closeSync(openSync(join(this.#directory, String(index)), "w"));
      this.#isKept = true;
    } catch {
      // Nothing depends on the reserve before the next restore.
    }
  }

  async release(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
    this.#isKept = false;
  }
}

/** A restore makes each directory that is kept twice more, and a dozen files. */
const FILES = 64;
