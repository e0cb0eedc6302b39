// A file that takes some of the disk while there is room, and gives it back when the disk is full: what has to be stored then,
// such as a checkpoint before the machine ends, can still be written.

import { statfs, unlink } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "../file/run-program.ts";

export class Reserve {
  readonly #directory: string;
  readonly #file: string;
  readonly #bytes: number;

  constructor(directory: string, bytes: number) {
    this.#directory = directory;
    this.#file = join(directory, "reserve");
    this.#bytes = bytes;
  }

  /** Takes the space, unless it would be missed: on a small or nearly full disk, or where it would be memory. */
  async keep(): Promise<void> {
    try {
      const { type, bavail, bsize } = await statfs(this.#directory);
      if (type === TMPFS || bavail * bsize < ROOM * this.#bytes) return;
      await runProgram("fallocate", ["--length", String(this.#bytes), this.#file]);
    } catch {
      // Without a reserve, a checkpoint on a full disk fails and says why.
    }
  }

  /** Resolves to false when there was nothing to give back. */
  async release(): Promise<boolean> {
    try {
      await unlink(this.#file);
      return true;
    } catch {
      return false;
    }
  }
}

const TMPFS = 0x01021994;
/** How many times as much must be free. */
const ROOM = 8;
