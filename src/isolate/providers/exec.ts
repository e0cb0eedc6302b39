// sandbox.exec: one command in the machine, to its end. What it started ends with the run, unless it was meant to go on.

import * as z from "zod";
import { ExecRequest } from "../../contract/exec.ts";
import { limits } from "../../contract/limits.ts";
import type { ProcessReport } from "../../contract/process.ts";
import { type Result, succeed } from "../../contract/result.ts";
import { ProcessValue, processValue } from "./process-value.ts";
import { defineMethod, type ProviderRun, showNotice } from "./provider.ts";

const request = ExecRequest.shape;

const input = z.strictObject({
  command: request.command,
  cwd: request.cwd.optional(),
  env: request.env.optional(),
  stdin: request.stdin.unwrap().optional(),
  timeout_ms: request.timeout_ms.unwrap().optional(),
  background: z.boolean().optional().describe("answer at once; it goes on after the run"),
  process_id: request.process_id.optional().describe("attach to the same command instead of running it twice"),
});

export const exec = defineMethod({
  scope: "sandbox:exec",
  summary: "Runs a command with bash -c and waits for its end; a non-zero exit_code is a result, not an error",
  input,
  positional: ["command"],
  output: ProcessValue,
  async run(input, run) {
    const background = input.background ?? false;
    const processId = input.process_id ?? newProcessId();
    const staying = background || input.process_id !== undefined;
    const ending = staying ? null : run.onEnd(() => endProcess(run, processId));
    const first = await run.sandbox.call("exec", {
      process_id: processId,
      repeatable: input.process_id !== undefined,
      command: input.command,
      cwd: input.cwd ?? "/workspace",
      env: input.env ?? {},
      stdin: input.stdin ?? null,
      stdin_open: background,
      timeout_ms: input.timeout_ms ?? (background ? null : limits.timeoutDefaultMs),
      wait_ms: background ? limits.backgroundWaitMs : waitMs(run),
      start_wait_ms: waitMs(run),
      pty: null,
      stream_chars: streamChars,
    });
    await showNotice(run, first.notice);
    const result = background ? first.result : await toItsEnd(first.result, run);
    if (result.ok && result.value.status === "exited") ending?.forget();
    return result.ok ? succeed(processValue(result.value)) : result;
  },
});

/** All that the runner keeps of a stream. */
const streamChars = limits.captureHeadBytes + limits.captureTailBytes;

async function toItsEnd(first: Result<ProcessReport>, run: ProviderRun): Promise<Result<ProcessReport>> {
  let result = first;
  while (result.ok && result.value.status !== "exited" && !run.signal.aborted) {
    const next = await run.sandbox.call("process-read", {
      process_id: result.value.process_id,
      stdout_offset: null,
      stderr_offset: null,
      until: "exit",
      wait_ms: waitMs(run),
      stream_chars: streamChars,
    });
    await showNotice(run, next.notice);
    result = next.result;
  }
  return result;
}

const endProcess = (run: ProviderRun, processId: string): Promise<unknown> =>
  run.sandbox.call("process-signal", { process_id: processId, signal: "TERM", killed_by: "cancel", then_kill: true });

const waitMs = (run: ProviderRun): number => Math.max(1, Math.min(run.leftMs(), limits.waitMaxMs));

const newProcessId = (): string => `js-${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
