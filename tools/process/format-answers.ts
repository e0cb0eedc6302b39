// Formats the answers of the process tool for a model: lists, reads from an offset, and what write and signal did.

import { limits } from "../../src/contract/limits.ts";
import type { ProcessSummary } from "../../src/contract/process.ts";
import type { ProcessListResult } from "../../src/contract/process-list.ts";
import type { ProcessReadResult } from "../../src/contract/process-read.ts";
import type { ProcessSignalResult, UnkillableProcess } from "../../src/contract/process-signal.ts";
import type { ProcessWriteResult } from "../../src/contract/process-write.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount, formatList } from "../../src/format/format-count.ts";
import { formatAgo } from "../../src/format/format-duration.ts";
import { truncate } from "../../src/format/truncate.ts";
import { formatLeftFor, formatReport, formatStatus } from "./format-process.ts";

/** As many processes as fit, newest first. `shown` is their number. */
export function formatProcessList(
  { processes, dropped }: ProcessListResult,
  now: number,
): { text: string; shown: number } {
  const lines: string[] = [];
  let room = limits.resultMaxChars - RESERVED_CHARS;
  for (const process of processes) {
    const line = formatEntry(process, now);
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const shown = lines.length;
  if (processes.length === 0) lines.push("No process has been started in this sandbox since its machine started.");
  const older = processes.length - shown;
  if (older > 0) lines.push(`(${formatCount(older, "older one is", "older ones are")} not shown)`);
  if (dropped > 0)
    lines.push(
      `(${formatCount(dropped, "older finished one was", "older finished ones were")} dropped, with their logs)`,
    );
  return { text: lines.join("\n"), shown };
}

/** Room for a notice and the last lines. */
const RESERVED_CHARS = 2_000;

function formatEntry(process: ProcessSummary, now: number): string {
  const [firstLine = ""] = process.command.split("\n", 1);
  const command = firstLine === process.command ? truncate(firstLine, 120) : `${firstLine.slice(0, 120)}…`;
  const sizes = `stdout ${formatBytes(process.stdout_bytes)}, stderr ${formatBytes(process.stderr_bytes)}`;
  return `${process.process_id}: ${command}\n  ${formatSummary(process)} Started ${formatAgo(process.started_at, now)}; ${sizes}`;
}

function formatSummary(process: ProcessSummary): string {
  const { left_running } = process;
  if (left_running === 0) return formatStatus(process);
  return `${formatStatus(process)} ${formatCount(left_running, "process it started is", "processes it started are")} still running${formatLeftFor(process)}.`;
}

export function formatRead(report: ProcessReadResult): string {
  const { lost_stdout, lost_stderr, next_stdout, next_stderr } = report;
  const lost = lost_stdout + lost_stderr;
  const remark = lost === 0 ? "" : `\n(${formatCount(lost, "byte")} before this are no longer stored)`;
  const waiting = countWaiting(report);
  const more = waiting === 0 ? "" : `; ${formatCount(waiting, "more byte is", "more bytes are")} available`;
  return `${formatReport(report)}${remark}\n(next: stdout_offset ${next_stdout}, stderr_offset ${next_stderr}${more})`;
}

/** Bytes that the process has written already and that this answer does not contain. */
export const countWaiting = ({ stdout, stderr, next_stdout, next_stderr }: ProcessReadResult): number =>
  Math.max(0, stdout.bytes - next_stdout) + Math.max(0, stderr.bytes - next_stderr);

export function formatWritten({ process, written_bytes, queued_bytes }: ProcessWriteResult, eof: boolean): string {
  const { process_id, stdout_bytes, stderr_bytes } = process;
  const read = `process {action: "read", process_id: "${process_id}", until: "output", stdout_offset: ${stdout_bytes}, stderr_offset: ${stderr_bytes}}`;
  return `${formatAccepted(written_bytes, queued_bytes, eof)} ${formatSummary(process)}\nRead the reply: ${read}.`;
}

function formatAccepted(written: number, queued: number, eof: boolean): string {
  const bytes = formatCount(written, "byte");
  if (queued === 0) return `Wrote ${bytes}${eof ? " and closed standard input" : ""}.`;
  const after = eof ? ", and standard input is closed after them" : "";
  return `Accepted all ${bytes}; ${formatCount(queued, "byte")} of input are queued because the program has not read them. They are delivered as it reads${after}: do not send them again.`;
}

export function formatSignalled({ process, signalled, unkillable }: ProcessSignalResult, signal: string): string {
  const sent =
    signalled === 0
      ? "There was no process left to signal."
      : `Sent SIG${signal} to ${formatCount(signalled, "process", "processes")}.`;
  return [sent, formatSummary(process), ...unkillableSentences(unkillable)].join(" ");
}

/** Some of them: they are mostly alike. */
const UNKILLABLE_SHOWN = 5;

function unkillableSentences(unkillable: UnkillableProcess[]): string[] {
  if (unkillable.length === 0) return [];
  const names = formatList(unkillable.map(formatUnkillable), UNKILLABLE_SHOWN);
  return [
    `Not ended by KILL: ${names}. The kernel ends a process only once it is no longer waiting inside the kernel. To end it now, stop the sandbox: sandbox {action: "stop"} keeps the files.`,
  ];
}

export const formatUnkillable = ({ pid, name, state }: UnkillableProcess): string =>
  `${name} (pid ${pid}, state ${state})`;
