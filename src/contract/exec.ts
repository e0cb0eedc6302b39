// exec: starts one command, or attaches to the process that already has this id, and waits for its end up to a limit.

import * as z from "zod";
import { limits } from "./limits.ts";
import { ProcessId, ProcessReport } from "./process.ts";

export const ExecRequest = z.object({
  process_id: ProcessId,
  /** The caller chose the id and may repeat the call, so the server remembers the id longer than the machine exists. */
  repeatable: z.boolean(),
  /** Passed verbatim to `bash -c`. */
  command: z.string(),
  /** The working directory, relative to /workspace. It must exist. */
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  /**
   * The sandbox's variables, set by the server; those of `env` override them. They do not count when requests are compared.
   */
  sandbox_env: z.record(z.string(), z.string()).optional(),
  /** The input of the command; null for an empty stdin. */
  stdin: z.string().nullable(),
  /** Keeps stdin open after `stdin`, for process-write. */
  stdin_open: z.boolean(),
  /** When the command and everything that it started is killed; null for no limit. */
  timeout_ms: z.number().int().min(1).max(limits.timeoutMaxMs).nullable(),
  /** How long this call waits for the command to end. */
  wait_ms: z.number().int().min(0).max(limits.waitMaxMs),
  /** How long this call waits for a machine to start, if that is longer than `wait_ms`. The runner ignores it. */
  start_wait_ms: z.number().int().min(0).max(limits.waitMaxMs).default(0),
  /** Runs the command on a terminal of this size, with all output on stdout; null for pipes. */
  pty: z.object({ columns: z.number().int().min(1).max(1000), rows: z.number().int().min(1).max(1000) }).nullable(),
  /** The most text of each stream in the answer, in UTF-16 code units. */
  stream_chars: z.number().int().min(0),
});
export type ExecRequest = z.infer<typeof ExecRequest>;

/** Equal for two requests exactly when they run the same command in the same way, however long the calls wait for it. */
export const repeatKey = ({ command, cwd, env, stdin, pty }: ExecRequest): string =>
  JSON.stringify([command, cwd, Object.entries(env).sort(), stdin, pty]);

export const ExecResult = ProcessReport;
export type ExecResult = z.infer<typeof ExecResult>;
