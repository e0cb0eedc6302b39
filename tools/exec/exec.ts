// exec: one command in the machine, and its result, or a handle to it when it takes longer than a client would wait.

import * as z from "zod";
import type { ExecRequest, ExecResult } from "../../src/contract/exec.ts";
import { limits } from "../../src/contract/limits.ts";
import { ProcessId } from "../../src/contract/process.ts";
import { type Answer, DEFAULT_SANDBOX, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { flag, textMap, wholeNumber } from "../input.ts";
import { reportText } from "../process/format-process.ts";
import { processOutput, processStructured } from "../process/process-output.ts";
import { sandboxName } from "../sandbox-name.ts";
import { defineTool, showNotice, type ToolCall } from "../tool.ts";
import { waitForExit } from "./wait-for-exit.ts";

const input = z.object({
  command: z.string().min(1, "must not be empty").describe("Given verbatim to bash -c; each call is its own shell"),
  cwd: z.string().min(1).optional().describe("Directory to run in, must exist; default /workspace"),
  env: textMap().optional().describe("Environment variables to add"),
  stdin: z.string().optional().describe("Text for standard input; empty when absent"),
  timeout_ms: wholeNumber(1, limits.timeoutMaxMs)
    .optional()
    .describe(
      `Everything the command started is ended after this; default ${limits.timeoutDefaultMs}, none with background`,
    ),
  wait_ms: wholeNumber(0, limits.waitMaxMs)
    .optional()
    .describe(`Answer after this even if it still runs; default ${limits.waitDefaultMs}`),
  background: flag()
    .optional()
    .describe("For servers and interactive programs: answer at once, keep stdin open for process write"),
  pty: flag().optional().describe("Run on a terminal (120x40), for programs that insist on one"),
  process_id: ProcessId.optional().describe(
    "Your own id: the call can be repeated and attaches instead of running twice",
  ),
  sandbox: sandboxName(),
});

type ExecInput = z.infer<typeof input>;

export const exec = defineTool({
  name: "exec",
  title: "Run a command",
  description:
    "Runs a command in a Linux machine and answers its exit code, stdout and stderr. A command that outlasts wait_ms goes on: the " +
    "answer is then status running with a process_id for the process tool. Files in /workspace stay. Nothing can prompt: there is " +
    "no terminal unless pty is set. Long output is answered as head and tail; the whole is in the log file that is named.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  scope: "sandbox:exec",
  input,
  output: z.object(processOutput),
  async run(input, call) {
    const sandbox = call.sandboxes.open(input.sandbox ?? DEFAULT_SANDBOX);
    const { result, notice: due } = await execAndWait(sandbox, resolve(input), call);
    const notice = await showNotice(sandbox, due);
    if (!result.ok) return { failure: result.failure, notice };
    return { text: reportText(result.value, notice), structured: processStructured(result.value, notice) };
  },
});

function resolve(input: ExecInput): ExecRequest {
  const background = input.background ?? false;
  return {
    process_id: input.process_id ?? newProcessId(),
    repeatable: input.process_id !== undefined,
    command: input.command,
    cwd: input.cwd ?? "/workspace",
    env: input.env ?? {},
    stdin: input.stdin ?? null,
    stdin_open: background,
    timeout_ms: input.timeout_ms ?? (background ? null : limits.timeoutDefaultMs),
    wait_ms: input.wait_ms ?? (background ? limits.backgroundWaitMs : limits.waitDefaultMs),
    start_wait_ms: input.wait_ms ?? limits.waitDefaultMs,
    pty: input.pty === true ? { columns: 120, rows: 40 } : null,
    stream_chars: limits.answerStreamChars,
  };
}

/** Ends the command when the client goes away, unless the caller can find it again by an id or meant it to go on. */
async function execAndWait(sandbox: Sandbox, request: ExecRequest, call: ToolCall): Promise<Answer<ExecResult>> {
  const detached = request.repeatable || request.stdin_open;
  if (detached) return waitForExit(sandbox, request, call);
  const onAbort = () => {
    call.detach(
      sandbox.call("process-signal", {
        process_id: request.process_id,
        signal: "TERM",
        killed_by: "cancel",
        then_kill: true,
      }),
    );
  };
  if (call.signal.aborted) return { result: { ok: false, failure: { reason: "cancelled" } }, notice: null };
  call.signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await waitForExit(sandbox, request, call);
  } finally {
    call.signal.removeEventListener("abort", onAbort);
  }
}

function newProcessId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(5));
  return `p${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
