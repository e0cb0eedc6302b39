// How much of the memory that the commands of this machine may have together is used.

import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { readProcFile } from "../../proc/proc-file.ts";

/** Where a control group says it: version 2, then version 1. */
export interface MemoryFiles {
  used: string;
  limit: string;
  statistics: string;
  /** The name, among the statistics, of what the kernel can free at once. */
  reclaimable: string;
}

/** Null in a machine whose control group cannot be read. */
export function findMemoryFiles(): MemoryFiles | null {
  return KNOWN.find(({ used, limit }) => existsSync(used) && existsSync(limit)) ?? null;
}

const V2 = "/sys/fs/cgroup";
const V1 = "/sys/fs/cgroup/memory";

const KNOWN: readonly MemoryFiles[] = [
  {
    ...{ used: join(V2, "memory.current"), limit: join(V2, "memory.max"), statistics: join(V2, "memory.stat") },
    reclaimable: "inactive_file",
  },
  {
    ...{ used: join(V1, "memory.usage_in_bytes"), limit: join(V1, "memory.limit_in_bytes") },
    ...{ statistics: join(V1, "memory.stat"), reclaimable: "total_inactive_file" },
  },
];

export interface MemoryUse {
  /** In bytes, as the rest. */
  used: number;
  limit: number;
  /** What files in /dev/shm take of it. */
  files: number;
}

/** Null where the memory is not limited. */
export function memoryUse(files: MemoryFiles | null): MemoryUse | null {
  if (files === null) return null;
  const limit = Number(readProcFile(files.limit));
  const used = Number(readProcFile(files.used));
  // A group without a limit has "max", or a number that no machine reaches.
  if (!(limit > 0 && limit < 2 ** 50)) return null;
  const statistics = readProcFile(files.statistics) ?? "";
  const freeable = Number(new RegExp(`^${files.reclaimable} (\\d+)$`, "m").exec(statistics)?.[1] ?? 0);
  return { used: used - freeable, limit, files: filesInMemory() };
}

function filesInMemory(): number {
  try {
    const { blocks, bfree, bsize } = statfsSync("/dev/shm");
    return (blocks - bfree) * bsize;
  } catch {
    return 0;
  }
}
