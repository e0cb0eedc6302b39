// process-signal: sends a signal to a process and everything that it started.

import * as z from "zod";
import { answerList } from "./answer-list.ts";
import { KilledBy, ProcessId, ProcessSummary } from "./process.ts";

export const SIGNALS = ["HUP", "INT", "QUIT", "KILL", "USR1", "USR2", "TERM", "CONT", "STOP", "TSTP", "WINCH"] as const;

export const ProcessSignalRequest = z.object({
  process_id: ProcessId,
  signal: z.enum(SIGNALS),
  /** The value of `killed_by` if this signal ends the process. */
  killed_by: KilledBy,
  /** Sends KILL after `limits.killGraceMs` to what is still alive. */
  then_kill: z.boolean(),
});
export type ProcessSignalRequest = z.infer<typeof ProcessSignalRequest>;

export const UnkillableProcess = z.object({
  pid: z.number().int(),
  /** The name of the program. */
  name: z.string(),
  /** The letter for its state in /proc, such as "D". */
  state: z.string(),
});
export type UnkillableProcess = z.infer<typeof UnkillableProcess>;

export const ProcessSignalResult = z.object({
  process: ProcessSummary,
  /** How many operating system processes received the signal. With KILL, those included that were started by others of them. */
  signalled: z.number().int(),
  /** The processes that are still alive after KILL, because the kernel itself keeps them from ending. */
  unkillable: answerList(UnkillableProcess).default([]),
});
export type ProcessSignalResult = z.infer<typeof ProcessSignalResult>;
