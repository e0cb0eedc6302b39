// A process as structured content, for `exec` and `process`. A field that has nothing to say is absent.

import * as z from "zod";
import type { ProcessReport, ProcessSummary } from "../../src/contract/process.ts";
import { formatHint } from "./format-hint.ts";

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
  left_for_ms: z.number().optional(),
  attached: z.boolean().optional(),
  invalid_utf8: z.boolean().optional(),
  log_capped: z.boolean().optional(),
  notice: z.string().optional(),
};

/** A process without its output, in the answers of list, write and signal. */
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

export const structureSummary = (process: ProcessSummary): Record<string, unknown> => ({
  process_id: process.process_id,
  status: process.status,
  ...optionalField("exit_code", process.exit_code),
  ...optionalField("signal", process.signal),
  timed_out: process.timed_out,
  ...optionalField("killed_by", process.killed_by),
  duration_ms: process.duration_ms,
  stdout_bytes: process.stdout_bytes,
  stderr_bytes: process.stderr_bytes,
  ...optionalField("left_running", process.left_running || null),
});

export const structureReport = (report: ProcessReport): Record<string, unknown> => ({
  ...structureSummary(report),
  stdout: report.stdout.text,
  stderr: report.stderr.text,
  stdout_bytes: report.stdout.bytes,
  stdout_lines: report.stdout.lines,
  stderr_bytes: report.stderr.bytes,
  stderr_lines: report.stderr.lines,
  truncated: report.stdout.omitted_bytes + report.stderr.omitted_bytes > 0,
  ...optionalField("notice", formatHint(report)),
  ...optionalField("left_for_ms", report.left_for_ms),
  ...optionalField("stdout_log", report.stdout.log_path),
  ...optionalField("stderr_log", report.stderr.log_path),
  ...optionalField("attached", report.attached || null),
  ...optionalField("invalid_utf8", report.stdout.invalid_utf8 || report.stderr.invalid_utf8 || null),
  ...optionalField("log_capped", report.stdout.log_capped || report.stderr.log_capped || null),
});

/** No field when the value is null. */
export const optionalField = <Value>(name: string, value: Value | null): Record<string, Value> =>
  value === null ? {} : { [name]: value };
