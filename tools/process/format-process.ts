// Formats a process for a model: its state in a sentence first, then what to do next, then its streams.

import { limits } from "../../src/contract/limits.ts";
import type { ProcessReport, ProcessSummary, StreamReport } from "../../src/contract/process.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { formatDuration } from "../../src/format/format-duration.ts";
import { formatHint } from "./format-hint.ts";

export function formatReport(report: ProcessReport): string {
  const streams = [...formatStream("stdout", report.stdout), ...formatStream("stderr", report.stderr)];
  if (streams.length === 0) streams.push(report.status === "exited" ? "(no output)" : "(no output so far)");
  return [formatStatus(report), ...formatNextSteps(report), ...streams].join("\n");
}

export function formatStatus(process: ProcessSummary): string {
  const after = formatDuration(process.duration_ms);
  if (process.status === "starting")
    return `Starting: the machine is not up yet after ${after}. The command runs as soon as it is.`;
  if (process.status === "running")
    return process.timed_out
      ? `Its time was over, and after ${after} not all of it has ended yet. A process that does not end at all is named by process {action: "signal", signal: "KILL"}.`
      : `Still running after ${after}.`;
  const code = `exit code ${process.exit_code}${process.signal === null ? "" : `, ${process.signal}`}`;
  switch (process.killed_by) {
    case "timeout":
      if (process.left_ended > 0)
        return `Exit code ${process.exit_code} after ${after}. ${formatCount(process.left_ended, "process that it had left running was", "processes that it had left running were")} ended when its timeout_ms was over.`;
      return `Timed out after ${after}: ${process.left_running === 0 ? formatEnded(process) : "what the command had started was told to end"} (${code}).`;
    case "cancel":
      return `Cancelled after ${after}: ${formatEnded(process)} (${code}).`;
    case "process_signal":
      return `Ended by process signal after ${after}${process.unclear === 0 ? "" : `: ${formatEnded(process)}`} (${code}).`;
    case "memory":
      return `Ended by the kernel for lack of memory after ${after} (${code}). Use less memory, or a larger machine.`;
    case "disk":
      return `Ended after ${after}, because the machine has written more than it may keep on disk (${code}). Delete what is not needed (du -xh -d2 / | sort -h | tail shows what takes it), then run it again.`;
    case "machine":
      return `Ended with its machine after ${after} (${code}).`;
    case null:
      return process.signal === null
        ? `Exit code ${process.exit_code} after ${after}.`
        : `Killed by ${process.signal} after ${after} (exit code ${process.exit_code}).`;
  }
}

/** What is known to have been ended when a command was, and what may not have been: it may have meant to escape. */
function formatEnded({ unclear }: ProcessSummary): string {
  if (unclear === 0) return "everything the command had started was ended";
  const rest = formatCount(unclear, "process", "processes");
  return `all that is known to be the command's was ended; ${rest} in the machine may be too, but hid what started them (ps -e shows them, sandbox {action: "stop"} ends them)`;
}

/** When what a command left running will be ended, as the end of a sentence. */
export const formatLeftFor = ({ left_for_ms }: ProcessSummary): string =>
  left_for_ms === null ? "" : ` for at most another ${formatDuration(left_for_ms)}`;

function formatNextSteps(report: ProcessReport): string[] {
  const { process_id, status, attached, left_running, left_for_ms } = report;
  const hint = formatHint(report);
  const id = `process_id: "${process_id}"`;
  const steps: string[] = hint === null ? [] : [hint];
  if (attached)
    steps.push(`Attached to process "${process_id}", which was started before; the command did not run again.`);
  if (status !== "exited") {
    steps.push(
      `Process "${process_id}". Read on: process {action: "read", ${id}, until: "exit"}. End it: process {action: "signal", ${id}}.`,
    );
  }
  if (left_running > 0) {
    const what = formatCount(left_running, "process it started keeps", "processes it started keep");
    const keep = left_for_ms === null ? "" : " To keep a server running, start it with background: true.";
    steps.push(
      `${what} running${formatLeftFor(report)}.${keep} Later output: process {action: "read", ${id}}. End it: process {action: "signal", ${id}}.`,
    );
  }
  return steps;
}

function formatStream(name: string, stream: StreamReport): string[] {
  if (stream.bytes === 0) return [];
  const remarks: string[] = [];
  if (stream.invalid_utf8) remarks.push("not all of it UTF-8, invalid bytes shown as \uFFFD");
  if (stream.omitted_bytes > 0) remarks.push(`shortened here${formatLog(stream)}`);
  const size = `${formatCount(stream.bytes, "byte")}, ${formatCount(stream.lines, "line")}`;
  const heading = remarks.length === 0 ? `${name}:` : `${name} (${[size, ...remarks].join("; ")}):`;
  return [heading, stream.text.replace(/\n$/, "")];
}

function formatLog({ log_path, log_capped, log_error }: StreamReport): string {
  if (log_path === null) return "";
  if (log_error !== null) return `, the part before the fault is in ${log_path}`;
  return log_capped
    ? `, the first ${formatBytes(limits.logMaxBytes)} are in ${log_path}`
    : `, all of it is in ${log_path}`;
}
