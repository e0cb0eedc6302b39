// Says a failure to a model: what happened, then what to do next. The one exhaustive switch over the reasons.

import type { Failure } from "../contract/failure.ts";
import {
  ambiguousWords,
  changedWords,
  existsWords,
  fileTooLargeWords,
  noMatchWords,
  noSuchPathWords,
  wrongKindWords,
} from "./format-file-failure.ts";

export function failureWords(failure: Failure): string {
  switch (failure.reason) {
    case "invalid_request":
      return failure.message;
    case "not_found":
      return notFoundWords(failure.kind, failure.name);
    case "wrong_kind":
      return wrongKindWords(failure);
    case "refused":
      return `${failure.subject}: ${failure.message}`;
    case "no_such_path":
      return noSuchPathWords(failure);
    case "exists":
      return existsWords(failure);
    case "not_empty":
      return `"${failure.path}" is a directory with ${failure.entries} ${failure.entries === 1 ? "entry" : "entries"}, and nothing was deleted. Set recursive: true to delete it with everything in it.`;
    case "changed":
      return changedWords(failure);
    case "disk_full":
      return `The disk is full, so "${failure.path}" was not written and is as it was. Free some space (du -xh -d2 / | sort -h | tail shows what takes it), then try again.`;
    case "file_too_large":
      return fileTooLargeWords(failure);
    case "no_match":
      return noMatchWords(failure);
    case "ambiguous_match":
      return ambiguousWords(failure);
    case "process_conflict":
      return `process_id "${failure.process_id}" already belongs to another command. Choose a new process_id, or repeat the first command unchanged to attach to it.`;
    case "process_forgotten":
      return `process_id "${failure.process_id}" ran before and its record has been dropped. To run the command again, choose a new process_id.`;
    case "stdin_closed":
      return failure.status === "exited"
        ? `Process "${failure.process_id}" has ended and takes no input. Read what it said with process read.`
        : `Process "${failure.process_id}" has no open stdin. Start it with exec and background: true to write to it later.`;
    case "too_large":
      return `${failure.subject} is ${failure.actual} ${failure.unit}; the limit is ${failure.limit}. Send less at once, for a large text write it to a file first.`;
    case "quota_exceeded":
      return `There may be at most ${failure.limit} ${failure.subject}. ${failure.advice ?? "End some before starting more."}`;
    case "checkpoints_full":
      return `The checkpoints of this sandbox take ${mebibytes(failure.used_bytes)} of ${mebibytes(failure.quota_bytes)}, so no more are taken by name. Delete some: sandbox checkpoints lists them, sandbox delete_checkpoint deletes one.`;
    case "checkpoint_failed":
      return `The checkpoint failed: ${failure.message}. The files in the machine are as they were.`;
    case "machine_unavailable":
      return `No machine is available: ${failure.message}. ${retryWords(failure.retry_after_ms)}`;
    case "machine_restarted":
      return failure.process_id === null
        ? "The machine was restarted while this ran, so its result is not known. Look at the state of the files before running it again."
        : `The machine was restarted, and process "${failure.process_id}" was lost with it. Look at the state of the files, then run the command again with a new process_id.`;
    case "timeout":
      return `${failure.subject} did not answer within ${seconds(failure.after_ms)}. What was started goes on; look again with process list.`;
    case "cancelled":
      return "The call was cancelled, and what it started has been ended.";
  }
}

function notFoundWords(kind: Extract<Failure, { reason: "not_found" }>["kind"], name: string): string {
  switch (kind) {
    case "process":
      return `No process has the id "${name}". See process list for those there are.`;
    case "path":
      return `"${name}" does not exist. Look at the directory above it with file list.`;
    case "cwd":
      return `The working directory "${name}" does not exist, so the command was not run. Create it first, or leave cwd out for /workspace.`;
    case "checkpoint":
      return `This sandbox has no checkpoint "${name}". See sandbox checkpoints for those there are.`;
    case "sandbox":
      return `There is no sandbox "${name}". See sandbox {action: "list"} for those there are; the first exec in a new name makes one.`;
    case "preview":
      return `Nothing is exposed on port ${name}. See the previews in sandbox {action: "status"}.`;
    case "operation":
      return `The machine does not know the operation "${name}". It is older than the server; stop the sandbox to replace it.`;
  }
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / (1024 * 1024))} MiB`;

const retryWords = (afterMs: number | null): string =>
  afterMs === null ? "Try again in a while." : `Try again in ${seconds(afterMs)}.`;

const seconds = (ms: number): string => (ms % 1000 === 0 || ms >= 10_000 ? `${Math.round(ms / 1000)} s` : `${ms} ms`);
