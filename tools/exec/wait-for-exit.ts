// Waits for a command as long as its `wait_ms` allows, and sends progress to a client that asked for it.

import type { ExecRequest, ExecResult } from "../../src/contract/exec.ts";
import { limits } from "../../src/contract/limits.ts";
import type { ProcessReadResult } from "../../src/contract/process-read.ts";
import { succeed } from "../../src/contract/result.ts";
import { resolveProcessRead } from "../../src/operations/process-read.ts";
import type { Answer } from "../../src/sandbox/answer.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { ToolCall } from "../tool.ts";

export async function waitForExit(sandbox: Sandbox, request: ExecRequest, call: ToolCall): Promise<Answer<ExecResult>> {
  const deadline = call.arrivedAt + request.wait_ms;
  const { progress } = call;
  if (progress === null) return sandbox.call("exec", request);

  const first = await reportStarting(
    sandbox.call("exec", { ...request, wait_ms: Math.min(request.wait_ms, limits.progressIntervalMs) }),
    progress,
  );
  if (!first.result.ok) return first;
  let report = first.result.value;
  while (report.status !== "exited" && !call.signal.aborted) {
    const waitMs = deadline - Date.now();
    if (waitMs <= limits.progressIntervalMs) break;
    await progress(newestLine(report));
    const next = await readNext(sandbox, report, waitMs);
    if (!next.result.ok) return { result: next.result, notice: next.notice ?? first.notice };
    report = next.result.value;
  }
  const last = await readNow(sandbox, request.process_id, request.stream_chars);
  const notice = last.notice ?? first.notice;
  if (!last.result.ok) return { result: last.result, notice };
  // Only the answer of exec says whether the call attached to a process or started it.
  return { result: succeed({ ...last.result.value, attached: first.result.value.attached }), notice };
}

/** Sends a message at intervals until the work is done. A machine that is up answers before the first one. */
async function reportStarting<Value>(
  work: Promise<Value>,
  progress: (message: string) => Promise<void>,
): Promise<Value> {
  const timer = setInterval(() => {
    // A client that has gone away aborts the signal of the call, so an undelivered message needs no handling.
    void progress("Starting a machine").catch(() => undefined);
  }, limits.progressStartingMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** Waits for more output or the end. The pause limits progress to four messages a second. */
async function readNext(sandbox: Sandbox, report: ExecResult, waitMs: number): Promise<Answer<ProcessReadResult>> {
  await new Promise((resolve) => setTimeout(resolve, limits.progressIntervalMs));
  const input = {
    process_id: report.process_id,
    stdout_offset: report.stdout.bytes,
    stderr_offset: report.stderr.bytes,
    until: "output",
    wait_ms: waitMs - limits.progressIntervalMs,
  } as const;
  const options = { maxWaitMs: limits.progressQuietMs, streamChars: 0 };
  const next = await sandbox.call("process-read", resolveProcessRead(input, options));
  return next.result.ok ? readNow(sandbox, report.process_id, progressChars) : next;
}

/** Characters of a stream, enough for its newest line. */
const progressChars = 1_000;

const readNow = (sandbox: Sandbox, processId: string, streamChars: number): Promise<Answer<ProcessReadResult>> =>
  sandbox.call("process-read", resolveProcessRead({ process_id: processId }, { maxWaitMs: 0, streamChars }));

function newestLine(report: ExecResult): string {
  const line = `${report.stderr.text}\n${report.stdout.text}`.trimEnd().split("\n").at(-1) ?? "";
  if (line.trim() === "") return report.status === "starting" ? "Starting a machine" : "Running";
  return line.slice(-200);
}
