// A process as code in an isolate sees it: the report of the contract, with its two streams as plain text.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { type ProcessReport, ProcessSummary, type StreamReport } from "../../contract/process.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { resolveProcessRead } from "../../operations/process-read.ts";
import type { ProviderRun } from "./provider.ts";

const { exit_code, ...rest } = ProcessSummary.shape;

/** The fields that code uses most come first, because the brief declarations show only the first ones. */
export const ProcessValue = z.object({
  exit_code,
  stdout: z.string(),
  stderr: z.string(),
  ...rest,
  stdout_log: z.string().nullable(),
  stderr_log: z.string().nullable(),
});
export type ProcessValue = z.infer<typeof ProcessValue>;

/** The text of each stream that the first answer has, which is all of it for most commands. */
export const STREAM_CHARS = limits.captureHeadBytes + limits.captureTailBytes;

/** The report with all of the output, which is fetched from the logs where the report has only head and tail. */
export async function toProcessValue(report: ProcessReport, run: ProviderRun): Promise<Result<ProcessValue>> {
  const summary = ProcessSummary.parse(report);
  const streams = { stdout_log: report.stdout.log_path, stderr_log: report.stderr.log_path };
  const { process_id, exit_code, stdout_bytes, stderr_bytes } = summary;
  const incomplete = fail({
    reason: "output_incomplete",
    ...{ process_id, exit_code, stdout_bytes, stderr_bytes },
    limit: limits.runOutputMaxBytes,
    ...streams,
  });
  const isLarge = report.stdout.bytes + report.stderr.bytes > limits.runOutputMaxBytes;
  const texts: string[] = [];
  for (const name of ["stdout", "stderr"] as const) {
    const isCut = report[name].omitted_bytes > 0;
    if (isCut && isLarge) return incomplete;
    const whole = isCut ? await readWhole(process_id, name, run) : succeed(report[name]);
    if (!whole.ok) return whole;
    if (whole.value.omitted_bytes > 0) return incomplete;
    texts.push(whole.value.text);
  }
  const [stdout = "", stderr = ""] = texts;
  return succeed({ ...summary, stdout, stderr, ...streams });
}

/** One stream at a time, because two large ones may exceed what one RPC can carry. */
async function readWhole(
  processId: string,
  name: "stdout" | "stderr",
  run: ProviderRun,
): Promise<Result<StreamReport>> {
  const other = name === "stdout" ? "stderr_offset" : "stdout_offset";
  const request = resolveProcessRead(
    { process_id: processId, [other]: Number.MAX_SAFE_INTEGER },
    { maxWaitMs: 0, streamChars: limits.runOutputMaxBytes },
  );
  const result = await run.call("process-read", request);
  return result.ok ? succeed(result.value[name]) : result;
}
