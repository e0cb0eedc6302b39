// What a process is, as every operation that deals with one reports it.

import * as z from "zod";

/** Chosen by the caller, or made by the server. */
export const ProcessId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "must be 1 to 64 of letters, digits, '.', '_' and '-', and start with a letter or a digit",
  );

/** What ended a process from the outside, where something did. `memory` is the kernel's own word, never a guess. */
export const KilledBy = z.enum(["timeout", "cancel", "process_signal", "memory", "machine"]);
export type KilledBy = z.infer<typeof KilledBy>;

/** One output stream up to now. */
export const StreamReport = z.object({
  /** Decoded as UTF-8 once, cleaned of terminal codes; head and tail where it was too long for the answer. */
  text: z.string(),
  /** Exact counts of the raw stream. A last line without a newline counts. */
  bytes: z.number().int(),
  lines: z.number().int(),
  /** Raw bytes that `text` leaves out between head and tail; 0 when it is whole. */
  omitted_bytes: z.number().int(),
  /** Some bytes were not UTF-8 and stand as U+FFFD in `text`. */
  invalid_utf8: z.boolean(),
  /** The raw bytes, in a file in the machine; null while there are none. */
  log_path: z.string().nullable(),
  /** The log holds the first bytes only: it reached `limits.logMaxBytes`. */
  log_capped: z.boolean(),
});
export type StreamReport = z.infer<typeof StreamReport>;

/** A process without its output. */
export const ProcessSummary = z.object({
  process_id: ProcessId,
  command: z.string(),
  status: z.enum(["starting", "running", "exited"]),
  /** 128 + n for a process ended by signal n, as a shell says it; null while it runs. */
  exit_code: z.number().int().nullable(),
  /** Such as "SIGKILL"; null where it ended by itself. */
  signal: z.string().nullable(),
  timed_out: z.boolean(),
  killed_by: KilledBy.nullable(),
  /** Epoch milliseconds. */
  started_at: z.number().int(),
  /** From its start to its end, or to now. */
  duration_ms: z.number().int(),
  /** Processes it started that still live after it has ended. */
  left_running: z.number().int(),
  stdout_bytes: z.number().int(),
  stderr_bytes: z.number().int(),
});
export type ProcessSummary = z.infer<typeof ProcessSummary>;

export const ProcessReport = ProcessSummary.extend({
  stdout: StreamReport,
  stderr: StreamReport,
  /** The call found a process of this id and did not start another. */
  attached: z.boolean(),
});
export type ProcessReport = z.infer<typeof ProcessReport>;
