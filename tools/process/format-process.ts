// How a process is worded for a model: its state in a sentence first, then its streams. No JSON.

import { limits } from "../../src/contract/limits.ts";
import type { ProcessReport, ProcessSummary, StreamReport } from "../../src/contract/process.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { formatDuration } from "../../src/format/format-duration.ts";

export function reportText(report: ProcessReport, notice: string | null): string {
  const parts = [statusSentence(report), ...nextSteps(report)];
  if (notice !== null) parts.push(`Notice: ${notice}`);
  const streams = [...streamText("stdout", report.stdout), ...streamText("stderr", report.stderr)];
  if (streams.length === 0) streams.push(report.status === "exited" ? "(no output)" : "(no output so far)");
  return [parts.join("\n"), ...streams].join("\n");
}

export function statusSentence(process: ProcessSummary): string {
  const after = formatDuration(process.duration_ms);
  if (process.status === "starting")
    return `Starting: the machine is not up yet after ${after}. The command runs as soon as it is.`;
  if (process.status === "running") return `Still running after ${after}.`;
  const code = `exit code ${process.exit_code}${process.signal === null ? "" : `, ${process.signal}`}`;
  switch (process.killed_by) {
    case "timeout":
      return `Timed out after ${after}: everything the command had started was ended (${code}).`;
    case "cancel":
      return `Cancelled after ${after}: everything the command had started was ended (${code}).`;
    case "process_signal":
      return `Ended by process signal after ${after} (${code}).`;
    case "memory":
      return `Ended by the kernel for lack of memory after ${after} (${code}). Use less memory, or a larger machine.`;
    case "machine":
      return `Ended with its machine after ${after} (${code}).`;
    case null:
      return process.signal === null
        ? `Exit code ${process.exit_code} after ${after}.`
        : `Killed by ${process.signal} after ${after} (exit code ${process.exit_code}).`;
  }
}

function nextSteps(report: ProcessReport): string[] {
  const id = `process_id: "${report.process_id}"`;
  const steps: string[] = [];
  if (report.attached)
    steps.push(`Attached to process "${report.process_id}", which was started before; the command did not run again.`);
  if (report.status !== "exited") {
    steps.push(
      `Process "${report.process_id}". Read on: process {action: "read", ${id}, until: "exit"}. End it: process {action: "signal", ${id}}.`,
    );
  }
  if (report.left_running > 0) {
    const what =
      report.left_running === 1 ? "1 process it started goes on" : `${report.left_running} processes it started go on`;
    steps.push(
      `${what}. Its later output: process {action: "read", ${id}}. End it: process {action: "signal", ${id}}.`,
    );
  }
  return steps;
}

function streamText(name: string, stream: StreamReport): string[] {
  if (stream.bytes === 0) return [];
  const remarks = [`${formatCount(stream.bytes, "byte")}, ${formatCount(stream.lines, "line")}`];
  if (stream.invalid_utf8) remarks.push("not all of it UTF-8, invalid bytes shown as \uFFFD");
  if (stream.omitted_bytes > 0) remarks.push(`shortened here${logRemark(stream)}`);
  const plain = remarks.length === 1;
  return [plain ? `${name}:` : `${name} (${remarks.join("; ")}):`, stream.text.replace(/\n$/, "")];
}

function logRemark({ log_path, log_capped }: StreamReport): string {
  if (log_path === null) return "";
  return log_capped ? `, the first ${formatBytes(limits.logMaxBytes)} of it in ${log_path}` : `, whole in ${log_path}`;
}
