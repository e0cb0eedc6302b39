// How lists of processes, and reads from an offset, are worded for a model.

import { limits } from "../../src/contract/limits.ts";
import type { ProcessSummary } from "../../src/contract/process.ts";
import type { ProcessListResult } from "../../src/contract/process-list.ts";
import type { ProcessReadResult } from "../../src/contract/process-read.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatAgo } from "../../src/format/format-duration.ts";
import { truncate } from "../../src/format/truncate.ts";
import { reportText, statusSentence } from "./format-process.ts";

/** As many processes as fit, newest first, and how many those are. */
export function processListTexts(
  { processes, dropped }: ProcessListResult,
  now: number,
  notice: string | null,
): { text: string; shown: number } {
  const lines: string[] = [];
  let room = limits.resultMaxChars - listFrameChars;
  for (const process of processes) {
    const line = listLine(process, now);
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const shown = lines.length;
  if (processes.length === 0) lines.push("No process has been started in this sandbox since its machine came up.");
  if (shown < processes.length) lines.push(`(${processes.length - shown} older ones are not shown)`);
  if (dropped > 0) lines.push(`(${dropped} older finished ones were dropped, with their logs)`);
  if (notice !== null) lines.unshift(`Notice: ${notice}`);
  return { text: lines.join("\n"), shown };
}

/** For the notice and the last lines. */
const listFrameChars = 2_000;

function listLine(process: ProcessSummary, now: number): string {
  const [firstLine = ""] = process.command.split("\n", 1);
  const command = firstLine === process.command ? truncate(firstLine, 120) : `${firstLine.slice(0, 120)}…`;
  const sizes = `stdout ${formatBytes(process.stdout_bytes)}, stderr ${formatBytes(process.stderr_bytes)}`;
  const started = `started ${formatAgo(process.started_at, now)}`;
  return `${process.process_id}: ${command}\n  ${summaryLine(process)} ${started}; ${sizes}`;
}

export function summaryLine(process: ProcessSummary): string {
  const left = process.left_running === 0 ? "" : ` ${process.left_running} it started still run.`;
  return `${statusSentence(process)}${left}`;
}

export function readText(report: ProcessReadResult, notice: string | null): string {
  const lost = report.lost_stdout + report.lost_stderr;
  const remarks = lost === 0 ? "" : `\n(${lost} bytes before this are not kept any more)`;
  const next = `\n(next: stdout_offset ${report.next_stdout}, stderr_offset ${report.next_stderr}${moreText(report)})`;
  return `${reportText(report, notice)}${remarks}${next}`;
}

/** What is already there beyond this answer; nothing where it is whole. */
export function moreText({ stdout, stderr, next_stdout, next_stderr }: ProcessReadResult): string {
  const more = Math.max(0, stdout.bytes - next_stdout) + Math.max(0, stderr.bytes - next_stderr);
  return more === 0 ? "" : `; ${more} bytes more are waiting`;
}
