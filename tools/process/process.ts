// process: lists the processes that exec started, and reads from, writes to and signals them.

import * as z from "zod";
import { requirements } from "../../src/auth/requirements.ts";
import { actionTool } from "../action-tool.ts";
import { openSandbox } from "../sandbox-name.ts";
import { processActions } from "./actions.ts";
import { ProcessArguments } from "./arguments.ts";
import { processOutput, summaryOutput } from "./structure-process.ts";

/** The fields of all actions; which of them are present depends on the action. */
const output = z
  .object({
    ...processOutput,
    processes: z.array(z.object({ ...summaryOutput, command: z.string(), age_ms: z.number() })),
    not_shown: z.number(),
    dropped: z.number(),
    written_bytes: z.number(),
    queued_bytes: z.number(),
    signalled: z.number(),
    unkillable: z.array(z.string()),
    next_stdout: z.number(),
    next_stderr: z.number(),
    lost_stdout: z.number(),
    lost_stderr: z.number(),
  })
  .partial();

export const process = actionTool({
  name: "process",
  title: () => "Manage processes",
  description: [
    [
      null,
      "Lists what exec started, reads the output of a process (also after its end) from an offset or waiting for more, writes " +
        "to standard input of one started with background, and sends signals.",
    ],
  ],
  input: ProcessArguments,
  output,
  table: processActions,
  requires: requirements.tools.process,
  context: (input, call) => ({ sandbox: openSandbox(call, input.sandbox), call }),
});
