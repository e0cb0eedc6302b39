// usage: the disk space and the processes that the machine uses now, and what does not confine it. It is cheap enough to be asked
// for every sandbox of a list.

import * as z from "zod";
import { DiskSpace } from "./disk.ts";
import { Gaps } from "./gap.ts";

export const UsageRequest = z.object({});
export type UsageRequest = z.infer<typeof UsageRequest>;

export const UsageResult = z.object({
  /** Disk space that /workspace and the home directory occupy; null when counting takes longer than `limits.usageMaxMs`. */
  disk_bytes: z.number().int().min(0).nullable(),
  /** The disk that holds /workspace; null when the system does not tell, or the machine is older. */
  disk: DiskSpace.nullable().default(null),
  /** The number of live processes, as in info. */
  live_processes: z.number().int().min(0),
  /** Older machines do not tell. */
  gaps: Gaps.default([]),
});
export type UsageResult = z.infer<typeof UsageResult>;
