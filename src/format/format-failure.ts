// Formats a failure for a model: what happened, then what to do next. This is the one exhaustive switch over the reasons.

import type { Failure } from "../contract/failure.ts";
import { formatBytes } from "./format-bytes.ts";
import { formatCount, formatNumber } from "./format-count.ts";
import { formatFullDisk } from "./format-disk.ts";
import { formatDuration } from "./format-duration.ts";
import {
  formatAmbiguousMatch,
  formatChanged,
  formatExists,
  formatFileTooLarge,
  formatNoMatch,
  formatNoSuchPath,
  formatWrongKind,
} from "./format-file-failure.ts";

export function formatFailure(failure: Failure): string {
  switch (failure.reason) {
    case "invalid_request":
      return failure.message;
    case "not_found":
      return formatNotFound(failure.kind, failure.name);
    case "wrong_kind":
      return formatWrongKind(failure);
    case "refused":
      return `${failure.subject}: ${failure.message}`;
    case "no_such_path":
      return formatNoSuchPath(failure);
    case "exists":
      return formatExists(failure);
    case "not_empty":
      return `"${failure.path}" is a directory with ${formatCount(failure.entries, "entry", "entries")}, and nothing was deleted. Set recursive: true to delete it with everything in it.`;
    case "changed":
      return formatChanged(failure);
    case "disk_full":
      return formatDiskFull(failure);
    case "file_too_large":
      return formatFileTooLarge(failure);
    case "no_match":
      return formatNoMatch(failure);
    case "ambiguous_match":
      return formatAmbiguousMatch(failure);
    case "process_conflict":
      return `process_id "${failure.process_id}" already belongs to another command. Choose a new process_id, or repeat the first command unchanged to attach to it.`;
    case "process_forgotten":
      return `process_id "${failure.process_id}" was used before, and its record has been dropped. To run the command again, choose a new process_id.`;
    case "stdin_closed":
      return failure.status === "exited"
        ? `Process "${failure.process_id}" has ended and takes no input. Read its output with process read.`
        : `Process "${failure.process_id}" has no open stdin. Start it with exec and background: true to write to it later.`;
    case "too_large":
      return `${failure.subject} is ${formatNumber(failure.actual)} ${failure.unit}; the limit is ${formatNumber(failure.limit)}. Send less at once, or write a large text to a file first.`;
    case "output_incomplete":
      return formatOutputIncomplete(failure);
    case "quota_exceeded":
      return `There may be at most ${failure.limit} ${failure.subject}. ${failure.advice ?? "End some before starting more."}`;
    case "checkpoints_full":
      return `The checkpoints of this sandbox use ${formatBytes(failure.used_bytes)} of ${formatBytes(failure.quota_bytes)}, so no more named checkpoints are taken. Delete some: sandbox checkpoints lists them, sandbox delete_checkpoint deletes one.`;
    case "checkpoint_failed":
      return `The checkpoint failed: ${failure.message}. The files in the machine are unchanged.`;
    case "machine_unavailable":
      return `No machine is available: ${failure.message}. ${formatRetry(failure.retry_after_ms)}`;
    case "machine_restarted":
      return failure.process_id === null
        ? "The machine was restarted while this ran, so its result is unknown. Check the state of the files before running it again."
        : `The machine was restarted, and process "${failure.process_id}" was lost with it. Check the state of the files, then run the command again with a new process_id.`;
    case "timeout":
      return `${failure.subject} did not answer within ${formatDuration(failure.after_ms)}. Anything it started keeps running; check with process list.`;
    case "cancelled":
      return "The call was cancelled, and what it started has been ended.";
  }
}

function formatDiskFull({ path, disk }: Extract<Failure, { reason: "disk_full" }>): string {
  const why = disk === null ? "The disk is full." : formatFullDisk(disk);
  const how = disk === null || disk.largest.length === 0 ? " (du -xh -d2 / | sort -h | tail shows what takes it)" : "";
  return `${why} "${path}" was not written and is unchanged. Delete what is not needed${how}, then try again.`;
}

function formatNotFound(kind: Extract<Failure, { reason: "not_found" }>["kind"], name: string): string {
  switch (kind) {
    case "process":
      return `No process has the id "${name}". See process list for the existing ones.`;
    case "path":
      return `"${name}" does not exist. Look at the directory above it with file list.`;
    case "cwd":
      return `The working directory "${name}" does not exist, so the command was not run. Create it first, or leave cwd out for /workspace.`;
    case "checkpoint":
      return `This sandbox has no checkpoint "${name}". See sandbox checkpoints for the existing ones.`;
    case "sandbox":
      return `There is no sandbox "${name}". See sandbox {action: "list"} for the existing ones; the first exec with a new name creates one.`;
    case "preview":
      return `Nothing is exposed on port ${name}. See the previews in sandbox {action: "status"}.`;
    case "operation":
      return `The machine does not support the operation "${name}", because it is older than the server. Stop the sandbox to replace it.`;
  }
}

function formatOutputIncomplete(failure: Extract<Failure, { reason: "output_incomplete" }>): string {
  const { process_id, exit_code, stdout_bytes, stderr_bytes, limit, stdout_log, stderr_log } = failure;
  const bytes = stdout_bytes + stderr_bytes;
  const why =
    bytes > limit
      ? `its output of ${formatNumber(bytes)} bytes is more than the ${formatBytes(limit)} that code gets at once`
      : "its log does not have all of its output (the disk was full, or the log was changed)";
  const state = exit_code === null ? "is running" : `ended with exit code ${exit_code}`;
  const logs = [stdout_log, stderr_log].filter((path) => path !== null).join(" and ");
  return `The command ${state}, but ${why}. Read it in parts with sandbox.readProcess({process_id: "${process_id}", stdout_offset: 0}), each from the next_stdout of the one before${logs === "" ? "" : `, or as bytes with sandbox.readFile({path, bytes: true, offset, length}) from ${logs}`}; or send the output of the command to a file.`;
}

const formatRetry = (afterMs: number | null): string =>
  afterMs === null ? "Try again later." : `Try again in ${formatDuration(afterMs)}.`;
