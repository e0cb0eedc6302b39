// A process as code in an isolate sees it: the report of the contract, with its two streams as plain text.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { type ProcessReport, ProcessSummary } from "../../contract/process.ts";

const { exit_code, ...rest } = ProcessSummary.shape;

/** The fields that code uses most come first, because the brief declarations show only the first ones. */
export const ProcessValue = z.object({
  exit_code,
  stdout: z.string(),
  stderr: z.string(),
  ...rest,
  /** Bytes that the text omits between head and tail; the log file has all of them. */
  stdout_omitted_bytes: z.number(),
  stderr_omitted_bytes: z.number(),
  stdout_log: z.string().nullable(),
  stderr_log: z.string().nullable(),
});
export type ProcessValue = z.infer<typeof ProcessValue>;

/** All of a stream that the runner keeps in memory. Code gets more than a model, which is shown an extract. */
export const STREAM_CHARS = limits.captureHeadBytes + limits.captureTailBytes;

export function toProcessValue(report: ProcessReport): ProcessValue {
  const { stdout, stderr } = report;
  return {
    ...ProcessSummary.parse(report),
    stdout: stdout.text,
    stderr: stderr.text,
    stdout_omitted_bytes: stdout.omitted_bytes,
    stderr_omitted_bytes: stderr.omitted_bytes,
    stdout_log: stdout.log_path,
    stderr_log: stderr.log_path,
  };
}
