// How much of the disk that holds a path is in use.

import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { DiskSpace } from "../../../src/contract/disk.ts";

/** `path` need not exist: the nearest directory above it counts. Null when the system does not tell. */
export async function diskSpace(path: string): Promise<DiskSpace | null> {
  try {
    const { blocks, bavail, bsize, files, ffree } = await statfs(path);
    return { total_bytes: blocks * bsize, free_bytes: bavail * bsize, total_files: files, free_files: ffree };
  } catch {
    return path === "/" ? null : diskSpace(dirname(path));
  }
}
