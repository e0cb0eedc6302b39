// exec: runs one command in the machine and returns its result, or a handle when the command outlasts the call.

import * as z from "zod";
import type { ExecRequest, ExecResult } from "../../src/contract/exec.ts";
import { limits } from "../../src/contract/limits.ts";
import { ProcessId } from "../../src/contract/process.ts";
import { fail } from "../../src/contract/result.ts";
import { outlivesCall, resolveExec } from "../../src/operations/exec.ts";
import { cancelProcess } from "../../src/operations/process-signal.ts";
import type { Answer } from "../../src/sandbox/answer.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { answerOperation, content } from "../answer.ts";
import { flag, stringMap, wholeNumber } from "../input.ts";
import { formatReport } from "../process/format-process.ts";
import { processOutput, structureReport } from "../process/structure-process.ts";
import { openSandbox, sandboxName } from "../sandbox-name.ts";
import { defineTool, type ToolCall } from "../tool.ts";
import { waitForExit } from "./wait-for-exit.ts";

const input = z.object({
  command: z.string().min(1, "must not be empty").describe("Passed verbatim to bash -c; each call is a new shell"),
  cwd: z.string().min(1).optional().describe("Directory to run in, must exist; default /workspace"),
  env: stringMap().optional().describe("Environment variables to add"),
  stdin: z.string().optional().describe("Text for standard input; empty when absent"),
  timeout_ms: wholeNumber(1, limits.timeoutMaxMs)
    .optional()
    .describe(
      `Everything the command started is ended after this; default ${limits.timeoutDefaultMs}, none with background`,
    ),
  wait_ms: wholeNumber(0, limits.waitMaxMs)
    .optional()
    .describe(`Return after this even if it is still running; default ${limits.waitDefaultMs}`),
  background: flag()
    .optional()
    .describe("For servers and interactive programs: return at once, keep stdin open for process write"),
  pty: flag().optional().describe("Run on a terminal (120x40), for programs that need one"),
  process_id: ProcessId.optional().describe("Your own id: repeating the call attaches instead of running it twice"),
  sandbox: sandboxName(),
});

export const exec = defineTool({
  name: "exec",
  title: "Run a command",
  description:
    "Runs a command in a Linux machine and returns its exit code, stdout and stderr. A command that takes longer than wait_ms keeps " +
    "running: the answer then has status running and a process_id for the process tool. Files in /workspace are kept. Nothing can " +
    "prompt, as there is no terminal unless pty is set. Long output is cut to its head and tail; the log file has all of it.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input,
  output: z.object(processOutput),
  async run(input, call) {
    const sandbox = openSandbox(call, input.sandbox);
    const request = resolveExec(input, {
      idPrefix: "p",
      waitMs: limits.waitDefaultMs,
      streamChars: limits.answerStreamChars,
    });
    return answerOperation(sandbox, await execAndWait(sandbox, request, call), (report) =>
      content(formatReport(report), structureReport(report)),
    );
  },
});

/** When the client goes away, the command is ended, unless it is meant to outlive the call. */
async function execAndWait(sandbox: Sandbox, request: ExecRequest, call: ToolCall): Promise<Answer<ExecResult>> {
  if (outlivesCall(request)) return waitForExit(sandbox, request, call);
  if (call.signal.aborted) return { result: fail({ reason: "cancelled" }), notice: null };
  const onAbort = () => call.detach(sandbox.call("process-signal", cancelProcess(request.process_id)));
  call.signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await waitForExit(sandbox, request, call);
  } finally {
    call.signal.removeEventListener("abort", onAbort);
  }
}
