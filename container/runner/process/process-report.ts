// Says a process as the contract does.

import type { ProcessReport, ProcessSummary, StreamReport } from "../../../src/contract/process.ts";
import type { OutputStream } from "../output/output-stream.ts";
import { wholeText } from "../output/stream-text.ts";
import type { Process } from "./process.ts";

export const summary = (process: Process): ProcessSummary => ({
  process_id: process.id,
  command: process.command,
  status: process.status,
  exit_code: process.status === "exited" ? (process.exit?.code ?? null) : null,
  signal: process.status === "exited" ? (process.exit?.signal ?? null) : null,
  timed_out: process.timedOut,
  killed_by: process.killedBy,
  started_at: process.startedAt,
  duration_ms: process.durationMs,
  left_running: process.leftRunning,
  stdout_bytes: process.stdout.capture.bytes,
  stderr_bytes: process.stderr.capture.bytes,
});

/** The process with its output so far, each stream whole or head and tail. */
export async function report(process: Process, chars: number, attached: boolean): Promise<ProcessReport> {
  const [stdout, stderr] = await Promise.all([wholeReport(process.stdout, chars), wholeReport(process.stderr, chars)]);
  return { ...summary(process), stdout, stderr, attached };
}

export async function wholeReport(stream: OutputStream, chars: number): Promise<StreamReport> {
  const { text, omittedBytes, invalidUtf8 } = await wholeText(stream, chars);
  return streamReport(stream, { text, omittedBytes, invalidUtf8 });
}

export interface StreamText {
  text: string;
  omittedBytes: number;
  invalidUtf8: boolean;
}

export const streamReport = (stream: OutputStream, { text, omittedBytes, invalidUtf8 }: StreamText): StreamReport => ({
  text,
  bytes: stream.capture.bytes,
  lines: stream.capture.lines,
  omitted_bytes: omittedBytes,
  invalid_utf8: invalidUtf8,
  log_path: stream.log.path,
  log_capped: stream.log.capped,
});
