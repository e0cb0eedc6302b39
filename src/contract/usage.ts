// usage: what the machine holds and does at the moment, cheap enough to be asked for a list.

import * as z from "zod";

export const UsageRequest = z.object({});
export type UsageRequest = z.infer<typeof UsageRequest>;

export const UsageResult = z.object({
  /** Of /workspace and the home directory, as they lie on the disk; null when counting would have taken too long. */
  disk_bytes: z.number().int().nullable(),
  /** Processes that live, as in info. */
  live_processes: z.number().int(),
});
export type UsageResult = z.infer<typeof UsageResult>;
