// A file that takes some of the disk while there is room, and gives it back when the disk is full: what has to be stored then,
// such as a checkpoint before the machine ends, can still be written.

import { mkdir, statfs, unlink } from "node:fs/promises";
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

  /** Takes the space, unless it would be missed: on a nearly full disk, or where it would be memory. */
  async keep(): Promise<void> {
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const { type, blocks, bavail, bsize } = await statfs(this.#directory);
      const bytes = Math.min(this.#bytes, Math.floor((blocks * bsize) / SHARE));
      if (type === TMPFS || bavail * bsize < ROOM * bytes) return;
      await runProgram("fallocate", ["--length", String(bytes), this.#file]);
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
/** It takes at most one part in so many of a disk. */
const SHARE = 32;
/** How many times as much must be free. */
const ROOM = 4;
