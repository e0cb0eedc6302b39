// Keeps machines from filling the disk of the host. All images together could grow beyond it; so what is free in each of
// them is held to its share of what is free on the host, by a file in it, the balloon, that takes the rest. A balloon's
// blocks are never written: it takes nothing from the host.

import { execFile } from "node:child_process";
import { stat, statfs, truncate } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { HOST_RESERVE_BYTES, HOST_RESERVE_SHARE, HOST_SHARE_CHECK_MS, LEAST_DISK_BYTES } from "../limits.ts";
import { MACHINE_PATH } from "../machine/machine-path.ts";
import type { MountedDisk } from "./mounted-disk.ts";

export class HostShare {
  /** A directory on the host's file system. */
  readonly #directory: string;
  readonly #disks = new Set<MountedDisk>();
  readonly #timer: NodeJS.Timeout;
  #last: Promise<unknown> = Promise.resolve();

  constructor(directory: string) {
    this.#directory = directory;
    // What others write on the host makes the shares smaller too.
    this.#timer = setInterval(() => void this.#balance().catch(() => undefined), HOST_SHARE_CHECK_MS).unref();
  }

  /** Resolves when the shares are right with these disks among them. Rejects when theirs would be too small to be of use. */
  async add(disks: readonly MountedDisk[]): Promise<void> {
    for (const disk of disks) this.#disks.add(disk);
    const share = await this.#balance();
    if (share < LEAST_DISK_BYTES) {
      const where = this.#directory;
      throw new Error(
        `The host's disk is full: ${Math.floor(share / 1024 ** 2)} MiB would be left for each of ${this.#disks.size / 2} machines. Free some space on the file system of ${where}, or stop a sandbox, then try again.`,
      );
    }
  }

  delete(disk: MountedDisk): void {
    this.#disks.delete(disk);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Resolves to the share of each disk, in bytes. One at a time. */
  #balance(): Promise<number> {
    const next = this.#last.then(() => this.#balanceNow());
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #balanceNow(): Promise<number> {
    if (this.#disks.size === 0) return Number.POSITIVE_INFINITY;
    const usages = (await Promise.all([...this.#disks].map(measure))).filter((usage) => usage !== null);
    const host = await statfs(this.#directory);
    const reserve = Math.min(HOST_RESERVE_BYTES, host.blocks * host.bsize * HOST_RESERVE_SHARE);
    // What is written in a machine reaches its image, and so the host's disk, some seconds later.
    const unwritten = usages.reduce((sum, usage) => sum + Math.max(0, usage.used - usage.allocated), 0);
    const share = Math.max(0, (host.bavail * host.bsize - reserve - unwritten) / usages.length);
    await Promise.all(usages.map((usage) => setBalloon(usage, Math.max(0, usage.free - share))));
    return share;
  }
}

interface Usage {
  readonly balloonFile: string;
  readonly balloon: number;
  /** Both without the balloon. */
  readonly used: number;
  readonly free: number;
  /** What the image takes on the host. */
  readonly allocated: number;
}

/** Null for a disk that is being removed. */
async function measure({ directory, image }: MountedDisk): Promise<Usage | null> {
  const balloonFile = join(directory, "balloon");
  const balloon = await stat(balloonFile).then(
    ({ blocks }) => blocks * 512,
    () => 0,
  );
  const measured = await Promise.all([statfs(directory), stat(image)]).catch(() => null);
  if (measured === null) return null;
  const [space, imageStat] = measured;
  return {
    ...{ balloonFile, balloon },
    used: (space.blocks - space.bfree) * space.bsize - balloon,
    free: space.bavail * space.bsize + balloon,
    allocated: imageStat.blocks * 512,
  };
}

/** A balloon that is nearly right stays, because each change of it takes a program. */
async function setBalloon({ balloonFile, balloon }: Usage, wanted: number): Promise<void> {
  try {
    if (wanted < balloon) await truncate(balloonFile, Math.floor(wanted));
    else if (wanted > balloon + STEP_BYTES) {
      const options = ["--length", String(Math.ceil(wanted)), balloonFile];
      await promisify(execFile)("fallocate", options, { env: { PATH: MACHINE_PATH } });
    }
  } catch {
    // The machine has filled its disk by now, so that the balloon got what remained; or the disk is being removed.
  }
}

const STEP_BYTES = 4 * 1024 ** 2;
