// process-signal: a signal to everything a process started.

import * as z from "zod";
import { KilledBy, ProcessId, ProcessSummary } from "./process.ts";

export const SIGNALS = ["HUP", "INT", "QUIT", "KILL", "USR1", "USR2", "TERM", "CONT", "STOP", "TSTP", "WINCH"] as const;

export const ProcessSignalRequest = z.object({
  process_id: ProcessId,
  signal: z.enum(SIGNALS),
  /** What `killed_by` shall say if this ends it. */
  killed_by: KilledBy,
  /** Follow with KILL after `limits.killGraceMs` if anything is left. */
  then_kill: z.boolean(),
});
export type ProcessSignalRequest = z.infer<typeof ProcessSignalRequest>;

export const ProcessSignalResult = z.object({
  process: ProcessSummary,
  /** How many processes got the signal. */
  signalled: z.number().int(),
});
export type ProcessSignalResult = z.infer<typeof ProcessSignalResult>;
