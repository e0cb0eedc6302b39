// Resolves what a caller gives for a command into the request of `exec`.

import type { ExecRequest } from "../contract/exec.ts";
import { limits } from "../contract/limits.ts";

export interface ExecInput {
  command: string;
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
  stdin?: string | undefined;
  timeout_ms?: number | undefined;
  wait_ms?: number | undefined;
  background?: boolean | undefined;
  pty?: boolean | undefined;
  process_id?: string | undefined;
}

export interface ExecOptions {
  /** Begins the id that a process gets when the caller does not choose one. */
  idPrefix: string;
  /** How long the call waits when the caller does not say. */
  waitMs: number;
  streamChars: number;
}

export function resolveExec(input: ExecInput, { idPrefix, waitMs, streamChars }: ExecOptions): ExecRequest {
  const { background = false, process_id, wait_ms } = input;
  return {
    process_id: process_id ?? `${idPrefix}${crypto.randomUUID().replaceAll("-", "").slice(0, ID_DIGITS)}`,
    repeatable: process_id !== undefined,
    command: input.command,
    cwd: input.cwd ?? "/workspace",
    env: input.env ?? {},
    stdin: input.stdin ?? null,
    stdin_open: background,
    timeout_ms: input.timeout_ms ?? (background ? null : limits.timeoutDefaultMs),
    wait_ms: wait_ms ?? (background ? limits.backgroundWaitMs : waitMs),
    start_wait_ms: wait_ms ?? waitMs,
    pty: input.pty === true ? TERMINAL : null,
    stream_chars: streamChars,
  };
}

/** The process keeps running when the client goes away: it can be found by its id, or was started in the background. */
export const outlivesCall = ({ repeatable, stdin_open }: ExecRequest): boolean => repeatable || stdin_open;

/** Hexadecimal digits: 48 random bits. */
const ID_DIGITS = 12;

/** The size that the description of `pty` promises. */
const TERMINAL = { columns: 120, rows: 40 };
