// Formats what else a caller should know of a command: limits of the machine that it met, and what is missing from its logs.

import type { ProcessReport } from "../../src/contract/process.ts";
import { formatFullDisk } from "../../src/format/format-disk.ts";

/** Sentences; null when there is nothing to say. */
export function formatHint({ hint, full_disk, stdout, stderr }: ProcessReport): string | null {
  const error = stdout.log_error ?? stderr.log_error;
  const sentences = [
    hint,
    full_disk === null
      ? null
      : `${formatFullDisk(full_disk)} If that is why it failed, delete what is not needed, then run it again.`,
    error === null ? null : `The log of its output is incomplete, because ${formatLogError(error)}.`,
  ].filter((sentence) => sentence !== null);
  return sentences.length === 0 ? null : sentences.join(" ");
}

function formatLogError(code: string): string {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk that holds it is full";
    case "ETIMEDOUT":
      return "the disk that holds it stopped responding";
    default:
      return `it could not be written (${code})`;
  }
}
