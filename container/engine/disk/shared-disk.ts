// Bounds what machines write where they have no disks of their own and share that of the host: an engine of an ordinary user can
// only look, and have the runner end the commands that write. A machine that goes on regardless is ended.

import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { HOST_RESERVE_BYTES, HOST_RESERVE_SHARE, SHARED_DISK_CHECK_MS, SHARED_DISK_WARNINGS } from "../limits.ts";
import { MACHINE_PATH } from "../machine/machine-path.ts";

/** What is watched of a machine. */
export interface DiskUser {
  readonly isUp: boolean;
  readonly ended: Promise<unknown>;
  signal(name: NodeJS.Signals): Promise<void>;
  kill(): void;
}

export class SharedDisk {
  readonly #directory: string;
  readonly #limitBytes: number;
  readonly #usages = new Map<DiskUser, Usage>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;
  /** What was free when the machines were last measured. */
  #measuredAtFree = Number.POSITIVE_INFINITY;

  /** `directory` is on the file system that holds the machines. */
  constructor(directory: string, limitBytes: number) {
    this.#directory = directory;
    this.#limitBytes = limitBytes;
    this.#timer = setInterval(() => void this.#check(), SHARED_DISK_CHECK_MS).unref();
  }

  /** Watches a machine until it ends. `directory` holds everything that it writes. */
  watch(user: DiskUser, directory: string): void {
    this.#usages.set(user, { directory, bytes: 0, warnings: 0 });
    void user.ended.then(() => this.#usages.delete(user));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking || this.#usages.size === 0) return;
    this.#isChecking = true;
    try {
      const { blocks, bavail, bsize } = await statfs(this.#directory);
      const reserve = Math.min(HOST_RESERVE_BYTES, blocks * bsize * HOST_RESERVE_SHARE);
      const free = bavail * bsize;
      // Measuring reads whole trees. It is of use only after so much was written that a limit can have been passed.
      const step = Math.min(STEP_BYTES, this.#limitBytes / 8);
      if (this.#measuredAtFree - free < step && free > reserve) {
        this.#measuredAtFree = Math.max(this.#measuredAtFree, free);
        return;
      }
      this.#measuredAtFree = free;
      await Promise.all([...this.#usages].map(([user, usage]) => this.#judge(user, usage, free < reserve)));
    } catch (error) {
      console.error(error);
    } finally {
      this.#isChecking = false;
    }
  }

  async #judge(user: DiskUser, usage: Usage, isHostFull: boolean): Promise<void> {
    const bytes = await measure(usage.directory);
    const hasGrown = bytes > usage.bytes;
    usage.bytes = bytes;
    if (bytes <= this.#limitBytes && !isHostFull) usage.warnings = 0;
    // Deleting is allowed, and so is everything else that needs no more space.
    else if (hasGrown && user.isUp) this.#warn(user, usage);
  }

  #warn(user: DiskUser, usage: Usage): void {
    usage.warnings += 1;
    if (usage.warnings <= SHARED_DISK_WARNINGS) {
      // Not awaited: a runner that was suspended does not answer, and the other machines have to be watched.
      user.signal(DISK_FULL_SIGNAL).catch(() => user.kill());
    } else {
      const mebibytes = Math.round(usage.bytes / 1024 ** 2);
      console.error(`A machine was ended, because it went on writing with ${mebibytes} MiB on the host's disk`);
      user.kill();
    }
  }
}

interface Usage {
  readonly directory: string;
  bytes: number;
  /** How often its runner was told since it was last within its limit. */
  warnings: number;
}

const STEP_BYTES = 64 * 1024 ** 2;

/** Tells the runner to end the commands that are running, because the machine may not write more. */
const DISK_FULL_SIGNAL = "SIGUSR2";

/** `du` fails for a directory that it may not read, and prints the sum of the others all the same. */
function measure(directory: string): Promise<number> {
  return new Promise((resolve) => {
    execFile("du", ["-skx", "--", directory], { env: { PATH: MACHINE_PATH } }, (_error, stdout) =>
      resolve(Number.parseInt(stdout, 10) * 1024 || 0),
    );
  });
}
