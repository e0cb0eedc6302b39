// A process and its output in the form of the contract.

import { type DiskSpace, isDiskFull } from "../../../src/contract/disk.ts";
import type { ProcessReport, ProcessSummary, StreamReport } from "../../../src/contract/process.ts";
import { diskSpace } from "../disk/disk-space.ts";
import type { OutputStream } from "../output/output-stream.ts";
import { wholeText } from "../output/stream-text.ts";
import type { RunnerContext } from "../runner-context.ts";
import { describeLimits } from "./machine-limits.ts";
import type { Process } from "./process.ts";

export const summarizeProcess = (process: Process): ProcessSummary => ({
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
  left_for_ms: process.status === "exited" && process.leftRunning > 0 ? process.remainingMs : null,
  left_ended: process.leftEnded,
  unclear: process.unclear,
  stdout_bytes: process.stdout.capture.bytes,
  stderr_bytes: process.stderr.capture.bytes,
});

/** The process with its output so far: each stream whole, or its head and tail when it exceeds `chars`. */
export async function reportProcess(
  process: Process,
  context: RunnerContext,
  { chars, attached }: { chars: number; attached: boolean },
): Promise<ProcessReport> {
  const [stdout, stderr] = await Promise.all([
    reportWholeStream(process.stdout, chars),
    reportWholeStream(process.stderr, chars),
  ]);
  const [hint, full_disk] = [hintFor(process, context), await fullDisk(process, context.workspace)];
  return { ...summarizeProcess(process), stdout, stderr, attached, hint, full_disk };
}

/** Many programs do not say that they failed because of it. */
async function fullDisk(process: Process, workspace: string): Promise<DiskSpace | null> {
  if (process.status !== "exited" || process.exit?.code === 0) return null;
  const space = await diskSpace(workspace);
  return space !== null && isDiskFull(space) ? space : null;
}

/** A command that waits may do so because a limit of the machine has been reached: bash tries for half a minute to fork. */
export const hintFor = (process: Process, context: RunnerContext): string | null =>
  process.status === "running" ? describeLimits(context, 0) : process.hint;

async function reportWholeStream(stream: OutputStream, chars: number): Promise<StreamReport> {
  const { text, omittedBytes, invalidUtf8 } = await wholeText(stream, chars);
  return reportStream(stream, { text, omittedBytes, invalidUtf8 });
}

export interface StreamText {
  text: string;
  omittedBytes: number;
  invalidUtf8: boolean;
}

export const reportStream = (stream: OutputStream, { text, omittedBytes, invalidUtf8 }: StreamText): StreamReport => ({
  text,
  bytes: stream.capture.bytes,
  lines: stream.capture.lines,
  omitted_bytes: omittedBytes,
  invalid_utf8: invalidUtf8,
  log_path: stream.log.path,
  log_capped: stream.log.capped,
  log_error: stream.log.error,
});
