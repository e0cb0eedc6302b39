// process-read: the state and the output of a process, after waiting for a change if asked to.

import type { StreamReport } from "../../../src/contract/process.ts";
import type { ProcessReadRequest, ProcessReadResult } from "../../../src/contract/process-read.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { OutputStream } from "../output/output-stream.ts";
import { textFrom, wholeText } from "../output/stream-text.ts";
import type { RunnerContext } from "../runner-context.ts";
import type { Process } from "./process.ts";
import { hintFor, reportStream, summarizeProcess } from "./process-report.ts";

export async function processRead(
  request: ProcessReadRequest,
  context: RunnerContext,
): Promise<Result<ProcessReadResult>> {
  const { registry } = context;
  const found = await registry.find(request.process_id);
  if (!found.ok) return found;
  const process = found.value;
  await waitForChange(process, request);
  registry.refreshLeftRunning();
  const [stdout, stderr] = await Promise.all([
    readStream(process.stdout, request.stdout_offset, request.stream_chars),
    readStream(process.stderr, request.stderr_offset, request.stream_chars),
  ]);
  return succeed({
    ...summarizeProcess(process),
    attached: false,
    full_disk: null,
    hint: hintFor(process, context),
    stdout: stdout.reportProcess,
    stderr: stderr.reportProcess,
    next_stdout: stdout.next,
    next_stderr: stderr.next,
    lost_stdout: stdout.lost,
    lost_stderr: stderr.lost,
  });
}

async function waitForChange(process: Process, request: ProcessReadRequest): Promise<void> {
  if (request.until === null) return;
  if (request.until === "exit") {
    await process.stateChanged.waitUntil(() => process.status === "exited", request.wait_ms);
    return;
  }
  const knownStdout = request.stdout_offset ?? process.stdout.readableBytes;
  const knownStderr = request.stderr_offset ?? process.stderr.readableBytes;
  const hasChanged = (): boolean =>
    process.stdout.readableBytes > knownStdout ||
    process.stderr.readableBytes > knownStderr ||
    hasFinishedOutput(process);
  await process.outputChanged.waitUntil(hasChanged, request.wait_ms);
}

/** Processes that an ended command left running may still write. */
const hasFinishedOutput = (process: Process): boolean =>
  process.status === "exited" && (process.leftRunning === 0 || (process.stdout.ended && process.stderr.ended));

interface StreamRead {
  reportProcess: StreamReport;
  next: number;
  lost: number;
}

async function readStream(stream: OutputStream, offset: number | null, chars: number): Promise<StreamRead> {
  if (offset === null) {
    const whole = await wholeText(stream, chars);
    await stream.log.flushed();
    return { reportProcess: reportStream(stream, whole), next: whole.next, lost: 0 };
  }
  const part = await textFrom(stream, offset, chars);
  return { reportProcess: reportStream(stream, part), next: part.next, lost: part.lostBytes };
}
