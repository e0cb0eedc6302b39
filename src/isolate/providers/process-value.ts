// A process as code sees it: the contract's report with its two streams as plain text.

import * as z from "zod";
import { type ProcessReport, ProcessSummary } from "../../contract/process.ts";

const { exit_code, ...rest } = ProcessSummary.shape;

/** What code looks at first comes first. */
export const ProcessValue = z.object({
  exit_code,
  stdout: z.string(),
  stderr: z.string(),
  ...rest,
  /** Bytes the text leaves out between head and tail, with the whole in the log file. */
  stdout_omitted_bytes: z.number(),
  stderr_omitted_bytes: z.number(),
  stdout_log: z.string().nullable(),
  stderr_log: z.string().nullable(),
});
export type ProcessValue = z.infer<typeof ProcessValue>;

export function processValue(report: ProcessReport): ProcessValue {
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
