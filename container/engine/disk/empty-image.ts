// An image of an empty ext4 file system, which every disk of an engine is a copy of.

import { execFile } from "node:child_process";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { MACHINE_PATH } from "../machine/machine-path.ts";

export interface ImageSize {
  /** What can be written to it. */
  readonly bytes: number;
  /** One file or directory for each of so many bytes. */
  readonly bytesPerInode: number;
}

/** Rejects where there is no mkfs.ext4. */
export async function makeEmptyImage(path: string, { bytes, bytesPerInode }: ImageSize): Promise<void> {
  const file = await open(path, "wx", 0o600);
  await file.truncate(Math.ceil(bytes / (1 - INODE_BYTES / bytesPerInode - MAPS_SHARE)));
  await file.close();
  const options = ["-q", "-F", "-b", String(BLOCK_BYTES), "-I", String(INODE_BYTES), "-i", String(bytesPerInode)];
  await promisify(execFile)("mkfs.ext4", [...options, "-m", "0", "-O", FEATURES, "-E", "lazy_itable_init=1", path], {
    env: { PATH: MACHINE_PATH },
  });
}

/** A journal is of use after a crash of the host, which no machine outlives. */
const FEATURES = "^has_journal,^resize_inode";
const BLOCK_BYTES = 4096;
const INODE_BYTES = 256;
/** The maps of free blocks and the copies of the superblock. */
const MAPS_SHARE = 0.001;
