// process-read: how a process stands and what it said, after waiting for news of it.

import type { StreamReport } from "../../../src/contract/process.ts";
import type { ProcessReadRequest, ProcessReadResult } from "../../../src/contract/process-read.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { OutputStream } from "../output/output-stream.ts";
import { textFrom, wholeText } from "../output/stream-text.ts";
import type { Machine } from "../runner-context.ts";
import type { Process } from "./process.ts";
import { streamReport, summary } from "./process-report.ts";

export async function processRead(
  request: ProcessReadRequest,
  { registry }: Machine,
): Promise<Result<ProcessReadResult>> {
  const found = await registry.find(request.process_id);
  if (!found.ok) return found;
  const process = found.value;
  await news(process, request);
  registry.refresh();
  const [stdout, stderr] = await Promise.all([
    readStream(process.stdout, request.stdout_offset, request.stream_chars),
    readStream(process.stderr, request.stderr_offset, request.stream_chars),
  ]);
  return succeed({
    ...summary(process),
    attached: false,
    stdout: stdout.report,
    stderr: stderr.report,
    next_stdout: stdout.next,
    next_stderr: stderr.next,
    lost_stdout: stdout.lost,
    lost_stderr: stderr.lost,
  });
}

async function news(process: Process, request: ProcessReadRequest): Promise<void> {
  if (request.until === null) return;
  if (request.until === "exit") {
    await process.stateBell.until(() => process.status === "exited", request.wait_ms);
    return;
  }
  const seenStdout = request.stdout_offset ?? process.stdout.readableBytes;
  const seenStderr = request.stderr_offset ?? process.stderr.readableBytes;
  const hasNews = (): boolean =>
    process.stdout.readableBytes > seenStdout || process.stderr.readableBytes > seenStderr || isOver(process);
  await process.outputBell.until(hasNews, request.wait_ms);
}

/** What an ended command left running may still write. */
const isOver = (process: Process): boolean =>
  process.status === "exited" && (process.leftRunning === 0 || (process.stdout.ended && process.stderr.ended));

interface StreamRead {
  report: StreamReport;
  next: number;
  lost: number;
}

async function readStream(stream: OutputStream, offset: number | null, chars: number): Promise<StreamRead> {
  if (offset === null) {
    const whole = await wholeText(stream, chars);
    await stream.log.flushed();
    return { report: streamReport(stream, whole), next: whole.next, lost: 0 };
  }
  const part = await textFrom(stream, offset, chars);
  return { report: streamReport(stream, part), next: part.next, lost: part.lostBytes };
}
