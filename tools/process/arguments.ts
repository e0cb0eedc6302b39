// The arguments of the process tool, for all its actions.

import * as z from "zod";
import { limits } from "../../src/contract/limits.ts";
import { ProcessId } from "../../src/contract/process.ts";
import { SIGNALS } from "../../src/contract/process-signal.ts";
import { flag, wholeNumber } from "../input.ts";
import { sandboxName } from "../sandbox-name.ts";

export const ProcessArguments = z.object({
  action: z.enum(["list", "read", "write", "signal"]),
  process_id: ProcessId.optional().describe("Id of the process; for all but list"),
  stdout_offset: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("read: byte to read stdout from, next_stdout of the last answer; head and tail when absent"),
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
export type ProcessArguments = z.infer<typeof ProcessArguments>;
