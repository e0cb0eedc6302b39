// info: which machine this is and whether it has work.

import * as z from "zod";

export const InfoRequest = z.object({});
export type InfoRequest = z.infer<typeof InfoRequest>;

export const InfoResult = z.object({
  /** Made anew by each runner: another id is another machine. */
  boot_id: z.string(),
  contract_version: z.number().int(),
  /** Processes that live: commands, and what ended commands left running. */
  live_processes: z.number().int(),
  /** The layer whose files were put in place when the machine came up; a runner of before checkpoints knows none. */
  restored: z.string().nullable().default(null),
});
export type InfoResult = z.infer<typeof InfoResult>;
