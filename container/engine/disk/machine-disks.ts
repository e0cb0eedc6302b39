// The disks of an engine's machines. Each machine has two: one for everything that it writes, and one that the runner
// keeps its logs and checkpoints on, so that a machine whose disk is full can still be asked for both.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { StateDir } from "../state-dir.ts";
import { makeEmptyImage } from "./empty-image.ts";
import { HostShare } from "./host-share.ts";
import { type MountedDisk, mountDisk } from "./mounted-disk.ts";

export interface MachineDisks {
  /** Mounts the two disks of machine `name`, the first on `directory`. Rejects when the host has no space for another. */
  create(name: string, directory: string): Promise<MachineDisk>;
  close(): void;
}

export interface MachineDisk {
  /** The directory of the runner's disk. */
  readonly runnerDirectory: string;
  remove(): Promise<void>;
}

/** Undefined where images cannot be mounted: it takes root, loop devices and mkfs.ext4. */
export async function openMachineDisks(state: StateDir, diskBytes: number): Promise<MachineDisks | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const parent = join(state.run, "disks");
  const machineImage = join(parent, "empty-machine");
  const runnerImage = join(parent, "empty-runner");
  try {
    mkdirSync(parent, { mode: 0o711 });
    await makeEmptyImage(machineImage, { bytes: diskBytes, bytesPerInode: 4096 });
    await makeEmptyImage(runnerImage, { bytes: diskBytes, bytesPerInode: 65_536 });
    const probe = join(parent, "probe");
    await (await mountDisk({ emptyImage: runnerImage, image: `${probe}.image`, directory: probe })).remove();
  } catch (error) {
    console.error(`Machines share the disk of the host, because none of their own can be mounted: ${firstLine(error)}`);
    return undefined;
  }
  const share = new HostShare(state.run);
  return {
    create: async (name, directory) => {
      const disks: MountedDisk[] = [];
      const remove = async (): Promise<void> => {
        for (const disk of disks) share.delete(disk);
        await Promise.all(disks.map((disk) => disk.remove()));
      };
      try {
        const image = join(parent, `${name}.image`);
        disks.push(await mountDisk({ emptyImage: machineImage, image, directory }));
        const runnerDirectory = join(parent, `${name}-runner`);
        const runnerDisk = { emptyImage: runnerImage, image: `${runnerDirectory}.image`, directory: runnerDirectory };
        disks.push(await mountDisk(runnerDisk));
        await share.add(disks);
        return { runnerDirectory, remove };
      } catch (error) {
        await remove();
        throw error;
      }
    },
    close: () => share.close(),
  };
}

const firstLine = (error: unknown): string =>
  error instanceof Error ? (error.message.trim().split("\n").at(-1) ?? "") : String(error);
