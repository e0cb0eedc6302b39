// exec: start one command, or attach to the one that has this id, and wait for it a while.

import * as z from "zod";
import { limits } from "./limits.ts";
import { ProcessId, ProcessReport } from "./process.ts";

export const ExecRequest = z.object({
  process_id: ProcessId,
  /** The caller chose the id and may repeat the call, so the server remembers it beyond the machine. */
  repeatable: z.boolean(),
  /** Verbatim to `bash -c`. */
  command: z.string(),
  /** Must exist; relative to /workspace. */
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  /** Variables of the sandbox, under those of the call. Set by the server; no part of what makes two requests the same. */
  sandbox_env: z.record(z.string(), z.string()).optional(),
  /** What the command reads; null is an empty stdin. */
  stdin: z.string().nullable(),
  /** Keep stdin open after `stdin`, for process-write. */
  stdin_open: z.boolean(),
  /** When everything it started is ended; null for never. */
  timeout_ms: z.number().int().min(1).max(limits.timeoutMaxMs).nullable(),
  /** How long this call waits for its end. */
  wait_ms: z.number().int().min(0).max(limits.waitMaxMs),
  /** How long it waits for a machine that is not up, where that is longer. The runner has no use for it. */
  start_wait_ms: z.number().int().min(0).max(limits.waitMaxMs).default(0),
  /** Run on a terminal of this size; its output is all on stdout. */
  pty: z.object({ columns: z.number().int().min(1).max(1000), rows: z.number().int().min(1).max(1000) }).nullable(),
  /** Text of each stream in the answer, in UTF-16 units. */
  stream_chars: z.number().int().min(0),
});
export type ExecRequest = z.infer<typeof ExecRequest>;

/** The same for two requests exactly when one is a repeat of the other: what is run, not how long the call waits for it. */
export const repeatKey = ({ command, cwd, env, stdin, pty }: ExecRequest): string =>
  JSON.stringify([command, cwd, Object.entries(env).sort(), stdin, pty]);

export const ExecResult = ProcessReport;
export type ExecResult = z.infer<typeof ExecResult>;
