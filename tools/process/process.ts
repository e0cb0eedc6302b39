// process: what became of the commands that exec started, and ways to read from, write to and end them.

import * as z from "zod";
import { limits } from "../../src/contract/limits.ts";
import { ProcessId } from "../../src/contract/process.ts";
import { SIGNALS } from "../../src/contract/process-signal.ts";
import { DEFAULT_SANDBOX } from "../../src/sandbox/sandbox.ts";
import { flag, wholeNumber } from "../input.ts";
import { sandboxName } from "../sandbox-name.ts";
import { defineTool } from "../tool.ts";
import { list, read, refuse, signal, write } from "./actions.ts";
import { processOutput, summaryOutput } from "./process-output.ts";

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

export type ProcessInput = z.infer<typeof input>;

/** The fields of every action; which are there depends on the action. */
const output = z
  .object({
    ...processOutput,
    processes: z.array(z.object({ ...summaryOutput, command: z.string(), age_ms: z.number() })),
    not_shown: z.number(),
    dropped: z.number(),
    written_bytes: z.number(),
    queued_bytes: z.number(),
    signalled: z.number(),
    next_stdout: z.number(),
    next_stderr: z.number(),
    lost_stdout: z.number(),
    lost_stderr: z.number(),
  })
  .partial();

export const process = defineTool({
  name: "process",
  title: "Look after processes",
  description:
    "Lists the processes that exec started in a sandbox, reads the output of one (also when it has finished) from an offset or while " +
    "waiting for more, writes to its standard input (of one started with background), and sends it signals.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  scope: "sandbox:exec",
  input,
  output,
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
