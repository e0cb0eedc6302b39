// The structured form of a process, as `exec` and `process` answer it. A field that has nothing to say is absent.

import * as z from "zod";
import type { ProcessReport, ProcessSummary } from "../../src/contract/process.ts";

export const processOutput = {
  status: z.enum(["exited", "running", "starting"]),
  process_id: z.string(),
  exit_code: z.number().optional(),
  signal: z.string().optional(),
  timed_out: z.boolean(),
  killed_by: z.string().optional(),
  duration_ms: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  stdout_bytes: z.number(),
  stdout_lines: z.number(),
  stderr_bytes: z.number(),
  stderr_lines: z.number(),
  truncated: z.boolean(),
  stdout_log: z.string().optional(),
  stderr_log: z.string().optional(),
  left_running: z.number().optional(),
  attached: z.boolean().optional(),
  invalid_utf8: z.boolean().optional(),
  log_capped: z.boolean().optional(),
  notice: z.string().optional(),
};

/** A process without its output, as list, write and signal answer it. */
export const summaryOutput = {
  process_id: z.string(),
  status: processOutput.status,
  exit_code: z.number().optional(),
  signal: z.string().optional(),
  timed_out: z.boolean(),
  killed_by: z.string().optional(),
  duration_ms: z.number(),
  stdout_bytes: z.number(),
  stderr_bytes: z.number(),
  left_running: z.number().optional(),
};

export function summaryStructured(process: ProcessSummary): Record<string, unknown> {
  return {
    process_id: process.process_id,
    status: process.status,
    ...present("exit_code", process.exit_code),
    ...present("signal", process.signal),
    timed_out: process.timed_out,
    ...present("killed_by", process.killed_by),
    duration_ms: process.duration_ms,
    stdout_bytes: process.stdout_bytes,
    stderr_bytes: process.stderr_bytes,
    ...present("left_running", process.left_running || null),
  };
}

export function processStructured(report: ProcessReport, notice: string | null): Record<string, unknown> {
  const { stdout, stderr } = report;
  return {
    ...summaryStructured(report),
    stdout: stdout.text,
    stderr: stderr.text,
    stdout_bytes: stdout.bytes,
    stdout_lines: stdout.lines,
    stderr_bytes: stderr.bytes,
    stderr_lines: stderr.lines,
    truncated: stdout.omitted_bytes + stderr.omitted_bytes > 0,
    ...present("stdout_log", stdout.log_path),
    ...present("stderr_log", stderr.log_path),
    ...present("attached", report.attached || null),
    ...present("invalid_utf8", stdout.invalid_utf8 || stderr.invalid_utf8 || null),
    ...present("log_capped", stdout.log_capped || stderr.log_capped || null),
    ...present("notice", notice),
  };
}

/** `null` is a field that has nothing to say. */
export const present = <Value>(name: string, value: Value | null): Record<string, Value> =>
  value === null ? {} : { [name]: value };
