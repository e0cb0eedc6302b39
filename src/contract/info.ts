// info: the identity of the machine and whether it is busy.

import * as z from "zod";

export const InfoRequest = z.object({});
export type InfoRequest = z.infer<typeof InfoRequest>;

export const InfoResult = z.object({
  /** A new id for each start of the runner: a different id means a different machine. */
  boot_id: z.string().min(1).max(100),
  contract_version: z.number().int(),
  /** The number of live processes: commands, and processes that ended commands left running. */
  live_processes: z.number().int().min(0),
  /** The layer that was restored when the machine started; null for none. Runners older than checkpoints omit the key. */
  restored: z.string().max(100).nullable().default(null),
});
export type InfoResult = z.infer<typeof InfoResult>;
