// process: what became of the commands that exec started, and ways to read from, write to and end them.

import * as z from "zod";
import type { Failure } from "../src/contract/failure.ts";
import { limits } from "../src/contract/limits.ts";
import { ProcessId } from "../src/contract/process.ts";
import { SIGNALS } from "../src/contract/process-signal.ts";
import { DEFAULT_SANDBOX, type Sandbox } from "../src/sandbox/sandbox.ts";
import { flag, wholeNumber } from "./input.ts";
import { processListText, readText, summaryLine } from "./process-list-words.ts";
import { present, processOutput, processStructured } from "./process-output.ts";
import { sandboxName } from "./sandbox-name.ts";
import { defineTool, type ToolAnswer, type ToolCall } from "./tool.ts";

const input = z.object({
  action: z.enum(["list", "read", "write", "signal"]),
  process_id: ProcessId.optional().describe("Of the process; for all but list"),
  stdout_offset: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("read: byte to read stdout on from, next_stdout of the last answer; head and tail when absent"),
  stderr_offset: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().describe("read: the same for stderr"),
  until: z.enum(["output", "exit"]).optional().describe("read: wait for more output, or for the end"),
  wait_ms: wholeNumber(0, limits.waitMaxMs)
    .optional()
    .describe(`read: wait at most this; default ${limits.waitDefaultMs} with until`),
  data: z.string().optional().describe("write: text for standard input, verbatim; end a line with \\n"),
  eof: flag().optional().describe("write: close standard input afterwards"),
  signal: z
    .preprocess(
      (value) => (typeof value === "string" ? value.toUpperCase().replace(/^SIG/, "") : value),
      z.enum(SIGNALS),
    )
    .optional()
    .describe("signal: to everything the process started; default TERM"),
  sandbox: sandboxName(),
});

type ProcessInput = z.infer<typeof input>;

const {
  stdout,
  stderr,
  stdout_bytes,
  stdout_lines,
  stderr_bytes,
  stderr_lines,
  status,
  timed_out,
  duration_ms,
  process_id,
  truncated,
  ...rest
} = processOutput;

export const process = defineTool({
  name: "process",
  title: "Look after processes",
  description:
    "Lists the processes that exec started in a sandbox, reads the output of one (also when it has finished) from an offset or while " +
    "waiting for more, writes to its standard input (of one started with background), and sends it signals.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  scope: "sandbox:exec",
  input,
  output: z.object({
    processes: z
      .array(
        z.object({
          process_id: z.string(),
          command: z.string(),
          status: z.string(),
          exit_code: z.number().optional(),
          age_ms: z.number(),
          duration_ms: z.number(),
          stdout_bytes: z.number(),
          stderr_bytes: z.number(),
          left_running: z.number(),
        }),
      )
      .optional(),
    written_bytes: z.number().optional(),
    signalled: z.number().optional(),
    next_stdout: z.number().optional(),
    next_stderr: z.number().optional(),
    ...z
      .object({
        stdout,
        stderr,
        stdout_bytes,
        stdout_lines,
        stderr_bytes,
        stderr_lines,
        status,
        timed_out,
        duration_ms,
        process_id,
        truncated,
      })
      .partial().shape,
    ...rest,
  }),
  async run(input, call) {
    const sandbox = call.sandboxes.open(input.sandbox ?? DEFAULT_SANDBOX);
    if (input.action === "list") return list(sandbox);
    if (input.process_id === undefined) {
      return refuse(
        `Argument "process_id" is missing: ${input.action} needs the id of a process. See process {action: "list"}.`,
      );
    }
    switch (input.action) {
      case "read":
        return read(sandbox, input, input.process_id);
      case "write":
        return write(sandbox, input, input.process_id);
      case "signal":
        return signal(sandbox, input, input.process_id, call);
    }
  },
});

async function list(sandbox: Sandbox): Promise<ToolAnswer> {
  const { result, notice } = await sandbox.call("process-list", {});
  if (!result.ok) return { failure: result.failure, notice };
  const now = Date.now();
  return {
    text: processListText(result.value, now, notice),
    structured: {
      processes: result.value.processes.map((entry) => ({
        process_id: entry.process_id,
        command: shorten(entry.command),
        status: entry.status,
        ...present("exit_code", entry.exit_code),
        age_ms: Math.max(0, now - entry.started_at),
        duration_ms: entry.duration_ms,
        stdout_bytes: entry.stdout_bytes,
        stderr_bytes: entry.stderr_bytes,
        left_running: entry.left_running,
      })),
      ...present("notice", notice),
    },
  };
}

async function read(sandbox: Sandbox, input: ProcessInput, processId: string): Promise<ToolAnswer> {
  const until = input.until ?? (input.wait_ms === undefined ? null : "exit");
  const { result, notice } = await sandbox.call("process-read", {
    process_id: processId,
    stdout_offset: input.stdout_offset ?? null,
    stderr_offset: input.stderr_offset ?? null,
    until,
    wait_ms: until === null ? 0 : (input.wait_ms ?? limits.waitDefaultMs),
    stream_chars: limits.answerStreamChars,
  });
  if (!result.ok) return { failure: result.failure, notice };
  return {
    text: readText(result.value, notice),
    structured: {
      ...processStructured(result.value, notice),
      next_stdout: result.value.next_stdout,
      next_stderr: result.value.next_stderr,
    },
  };
}

async function write(sandbox: Sandbox, input: ProcessInput, processId: string): Promise<ToolAnswer> {
  if (input.data === undefined && input.eof !== true)
    return refuse('write needs "data", or "eof": true to close standard input.');
  const { result, notice } = await sandbox.call("process-write", {
    process_id: processId,
    data: input.data ?? "",
    eof: input.eof ?? false,
  });
  if (!result.ok) return { failure: result.failure, notice };
  const { process: summary, written_bytes } = result.value;
  const what = `Wrote ${written_bytes} bytes${input.eof === true ? " and closed standard input" : ""}.`;
  return {
    text: `${what} ${summaryLine(summary)}\nRead the reply: process {action: "read", process_id: "${processId}", until: "output", stdout_offset: ${summary.stdout_bytes}, stderr_offset: ${summary.stderr_bytes}}.`,
    structured: {
      process_id: processId,
      status: summary.status,
      written_bytes,
      next_stdout: summary.stdout_bytes,
      next_stderr: summary.stderr_bytes,
      ...present("notice", notice),
    },
  };
}

async function signal(sandbox: Sandbox, input: ProcessInput, processId: string, call: ToolCall): Promise<ToolAnswer> {
  if (call.signal.aborted) return { failure: { reason: "cancelled" }, notice: null };
  const name = input.signal ?? "TERM";
  const { result, notice } = await sandbox.call("process-signal", {
    process_id: processId,
    signal: name,
    killed_by: "process_signal",
    then_kill: false,
  });
  if (!result.ok) return { failure: result.failure, notice };
  const { process: summary, signalled } = result.value;
  const what =
    signalled === 0
      ? "Nothing was left to signal."
      : `Sent SIG${name} to ${signalled} ${signalled === 1 ? "process" : "processes"}.`;
  return {
    text: `${what} ${summaryLine(summary)}`,
    structured: {
      process_id: processId,
      status: summary.status,
      signalled,
      ...present("exit_code", summary.exit_code),
      ...present("notice", notice),
    },
  };
}

const refuse = (message: string): ToolAnswer => ({
  failure: { reason: "invalid_request", message } satisfies Failure,
  notice: null,
});

const shorten = (command: string): string => (command.length > 300 ? `${command.slice(0, 300)}…` : command);
