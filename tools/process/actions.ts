// What each action of `process` does and answers.

import { limits } from "../../src/contract/limits.ts";
import type { ProcessReadResult } from "../../src/contract/process-read.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { truncate } from "../../src/format/truncate.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { showNotice, type ToolAnswer, type ToolCall } from "../tool.ts";
import { moreText, processListTexts, readText, summaryLine } from "./format-process-list.ts";
import type { ProcessInput } from "./process.ts";
import { present, processStructured, summaryStructured } from "./process-output.ts";

export async function list(sandbox: Sandbox): Promise<ToolAnswer> {
  const { result, notice: due } = await sandbox.call("process-list", {});
  const notice = await showNotice(sandbox, due);
  if (!result.ok) return { failure: result.failure, notice };
  const now = Date.now();
  const { processes, dropped } = result.value;
  const { text, shown } = processListTexts(result.value, now, notice);
  const entries = processes.slice(0, shown).map((entry) => ({
    ...summaryStructured(entry),
    command: truncate(entry.command, 300),
    age_ms: Math.max(0, now - entry.started_at),
  }));
  const rest = { ...present("not_shown", processes.length - shown || null), ...present("dropped", dropped || null) };
  return { text, structured: { processes: entries, ...rest, ...present("notice", notice) } };
}

export async function read(sandbox: Sandbox, input: ProcessInput, processId: string): Promise<ToolAnswer> {
  const until = input.until ?? (input.wait_ms === undefined ? null : "exit");
  const { result, notice: due } = await sandbox.call("process-read", {
    process_id: processId,
    stdout_offset: input.stdout_offset ?? null,
    stderr_offset: input.stderr_offset ?? null,
    until,
    wait_ms: until === null ? 0 : (input.wait_ms ?? limits.waitDefaultMs),
    stream_chars: limits.answerStreamChars,
  });
  const notice = await showNotice(sandbox, due);
  if (!result.ok) return { failure: result.failure, notice };
  const report = result.value;
  return {
    text: readText(report, notice),
    structured: {
      ...processStructured(report, notice),
      truncated: report.stdout.omitted_bytes + report.stderr.omitted_bytes > 0 || moreText(report) !== "",
      next_stdout: report.next_stdout,
      next_stderr: report.next_stderr,
      ...lost(report),
    },
  };
}

const lost = ({ lost_stdout, lost_stderr }: ProcessReadResult): Record<string, unknown> => ({
  ...present("lost_stdout", lost_stdout || null),
  ...present("lost_stderr", lost_stderr || null),
});

export async function write(sandbox: Sandbox, input: ProcessInput, processId: string): Promise<ToolAnswer> {
  if (input.data === undefined && input.eof !== true)
    return refuse('write needs "data", or "eof": true to close standard input.');
  const { result, notice: due } = await sandbox.call("process-write", {
    process_id: processId,
    data: input.data ?? "",
    eof: input.eof ?? false,
  });
  const notice = await showNotice(sandbox, due);
  if (!result.ok) return { failure: result.failure, notice };
  const { process: summary, written_bytes, queued_bytes } = result.value;
  const what = writtenText(written_bytes, queued_bytes, input.eof === true);
  return {
    text: `${what} ${summaryLine(summary)}\nRead the reply: process {action: "read", process_id: "${processId}", until: "output", stdout_offset: ${summary.stdout_bytes}, stderr_offset: ${summary.stderr_bytes}}.`,
    structured: {
      ...summaryStructured(summary),
      written_bytes,
      ...present("queued_bytes", queued_bytes || null),
      next_stdout: summary.stdout_bytes,
      next_stderr: summary.stderr_bytes,
      ...present("notice", notice),
    },
  };
}

function writtenText(written: number, queued: number, eof: boolean): string {
  if (queued === 0) return `Wrote ${written} bytes${eof ? " and closed standard input" : ""}.`;
  const after = eof ? ", and standard input closes after them" : "";
  return `Took all ${written} bytes; ${queued} bytes of input still wait because the program has not read them. They are delivered as it reads${after}: do not send them again.`;
}

export async function signal(
  sandbox: Sandbox,
  input: ProcessInput,
  processId: string,
  call: ToolCall,
): Promise<ToolAnswer> {
  if (call.signal.aborted) return { failure: { reason: "cancelled" }, notice: null };
  const name = input.signal ?? "TERM";
  const { result, notice: due } = await sandbox.call("process-signal", {
    process_id: processId,
    signal: name,
    killed_by: "process_signal",
    then_kill: false,
  });
  const notice = await showNotice(sandbox, due);
  if (!result.ok) return { failure: result.failure, notice };
  const { process: summary, signalled } = result.value;
  const what =
    signalled === 0
      ? "Nothing was left to signal."
      : `Sent SIG${name} to ${formatCount(signalled, "process", "processes")}.`;
  return {
    text: `${what} ${summaryLine(summary)}`,
    structured: {
      ...summaryStructured(summary),
      signalled,
      ...present("notice", notice),
    },
  };
}

export const refuse = (message: string): ToolAnswer => ({
  failure: { reason: "invalid_request", message },
  notice: null,
});
