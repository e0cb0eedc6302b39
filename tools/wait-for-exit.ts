// Waits for a command as long as its `wait_ms` allows, with progress meanwhile for a client that asked for it.

import type { ExecRequest, ExecResult } from "../src/contract/exec.ts";
import { limits } from "../src/contract/limits.ts";
import type { Answer, Sandbox } from "../src/sandbox/sandbox.ts";
import type { ToolCall } from "./tool.ts";

export async function waitForExit(sandbox: Sandbox, request: ExecRequest, call: ToolCall): Promise<Answer<ExecResult>> {
  const deadline = call.arrivedAt + request.wait_ms;
  const { progress } = call;
  if (progress === null) return sandbox.call("exec", request);

  const first = await whileStarting(
    sandbox.call("exec", { ...request, wait_ms: Math.min(request.wait_ms, limits.progressIntervalMs) }),
    progress,
  );
  let state = first;
  while (state.result.ok && state.result.value.status !== "exited" && !call.signal.aborted) {
    const waitMs = deadline - Date.now();
    if (waitMs <= limits.progressIntervalMs) break;
    await progress(newestLine(state.result.value));
    state = await lookAgain(sandbox, state.result.value, waitMs);
  }
  if (state === first) return first;
  if (!state.result.ok) return { result: state.result, notice: first.notice ?? state.notice };
  const { result } = await sandbox.call("process-read", {
    process_id: request.process_id,
    stdout_offset: null,
    stderr_offset: null,
    until: "exit",
    wait_ms: Math.max(0, deadline - Date.now()),
    stream_chars: request.stream_chars,
  });
  return { result, notice: first.notice ?? state.notice };
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
async function lookAgain(sandbox: Sandbox, seen: ExecResult, waitMs: number): Promise<Answer<ExecResult>> {
  await new Promise((resolve) => setTimeout(resolve, limits.progressIntervalMs));
  return sandbox.call("process-read", {
    process_id: seen.process_id,
    stdout_offset: seen.stdout.bytes,
    stderr_offset: seen.stderr.bytes,
    until: "output",
    wait_ms: Math.max(0, Math.min(waitMs - limits.progressIntervalMs, limits.progressQuietMs)),
    stream_chars: 4_000,
  });
}

function newestLine(report: ExecResult): string {
  const line = `${report.stderr.text}\n${report.stdout.text}`.trimEnd().split("\n").at(-1) ?? "";
  if (line.trim() === "") return report.status === "starting" ? "Starting a machine" : "Running";
  return line.slice(-200);
}
