// Resolves what a caller gives for reading a process into the request of `process-read`.

import { limits } from "../contract/limits.ts";
import type { ProcessReadRequest } from "../contract/process-read.ts";

export interface ProcessReadInput {
  process_id: string;
  stdout_offset?: number | undefined;
  stderr_offset?: number | undefined;
  until?: "output" | "exit" | undefined;
  wait_ms?: number | undefined;
}

export interface ProcessReadOptions {
  /** A longer wait is shortened to this. */
  maxWaitMs: number;
  streamChars: number;
}

/** Without `until`, `wait_ms` waits for the exit; without either, the read answers at once. */
export function resolveProcessRead(
  input: ProcessReadInput,
  { maxWaitMs, streamChars }: ProcessReadOptions,
): ProcessReadRequest {
  const until = input.until ?? (input.wait_ms === undefined ? null : "exit");
  const waitMs = Math.max(0, Math.min(input.wait_ms ?? limits.waitDefaultMs, maxWaitMs));
  return {
    process_id: input.process_id,
    stdout_offset: input.stdout_offset ?? null,
    stderr_offset: input.stderr_offset ?? null,
    until,
    wait_ms: until === null ? 0 : waitMs,
    stream_chars: streamChars,
  };
}
