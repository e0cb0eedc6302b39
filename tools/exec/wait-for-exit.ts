// Waits for a command as long as its `wait_ms` allows, with progress meanwhile for a client that asked for it.

import type { ExecRequest, ExecResult } from "../../src/contract/exec.ts";
import { limits } from "../../src/contract/limits.ts";
import type { ProcessReadResult } from "../../src/contract/process-read.ts";
import { succeed } from "../../src/contract/result.ts";
import type { Answer } from "../../src/sandbox/answer.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { ToolCall } from "../tool.ts";

export async function waitForExit(sandbox: Sandbox, request: ExecRequest, call: ToolCall): Promise<Answer<ExecResult>> {
  const deadline = call.arrivedAt + request.wait_ms;
  const { progress } = call;
  if (progress === null) return sandbox.call("exec", request);

  const first = await whileStarting(
    sandbox.call("exec", { ...request, wait_ms: Math.min(request.wait_ms, limits.progressIntervalMs) }),
    progress,
  );
  if (!first.result.ok) return first;
  let state = first.result.value;
  while (state.status !== "exited" && !call.signal.aborted) {
    const waitMs = deadline - Date.now();
    if (waitMs <= limits.progressIntervalMs) break;
    await progress(newestLine(state));
    const next = await lookAgain(sandbox, state, waitMs);
    if (!next.result.ok) return { result: next.result, notice: next.notice ?? first.notice };
    state = next.result.value;
  }
  const last = await look(sandbox, request.process_id, request.stream_chars);
  if (!last.result.ok) return { result: last.result, notice: last.notice ?? first.notice };
  // Only exec knows whether it started the command.
  const value = { ...last.result.value, attached: first.result.value.attached };
  return { result: succeed(value), notice: last.notice ?? first.notice };
}

/** A machine that is up answers before the first word of this. */
async function whileStarting<Value>(
  work: Promise<Value>,
  progress: (message: string) => Promise<void>,
): Promise<Value> {
  const timer = setInterval(() => {
    // A client that has gone is noticed elsewhere.
    void progress("Starting a machine").catch(() => undefined);
  }, limits.progressStartingMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** At most four looks a second: a pause first, then news or the end. */
async function lookAgain(sandbox: Sandbox, seen: ExecResult, waitMs: number): Promise<Answer<ProcessReadResult>> {
  await new Promise((resolve) => setTimeout(resolve, limits.progressIntervalMs));
  const news = await sandbox.call("process-read", {
    process_id: seen.process_id,
    stdout_offset: seen.stdout.bytes,
    stderr_offset: seen.stderr.bytes,
    until: "output",
    wait_ms: Math.max(0, Math.min(waitMs - limits.progressIntervalMs, limits.progressQuietMs)),
    stream_chars: 0,
  });
  return news.result.ok ? look(sandbox, seen.process_id, progressChars) : news;
}

/** Enough for the newest line at the end of a stream. */
const progressChars = 1_000;

const look = (sandbox: Sandbox, processId: string, streamChars: number): Promise<Answer<ProcessReadResult>> =>
  sandbox.call("process-read", {
    process_id: processId,
    stdout_offset: null,
    stderr_offset: null,
    until: null,
    wait_ms: 0,
    stream_chars: streamChars,
  });

function newestLine(report: ExecResult): string {
  const line = `${report.stderr.text}\n${report.stdout.text}`.trimEnd().split("\n").at(-1) ?? "";
  if (line.trim() === "") return report.status === "starting" ? "Starting a machine" : "Running";
  return line.slice(-200);
}
