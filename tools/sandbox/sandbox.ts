// sandbox: the machines themselves. Which there are, how they are set up, what of them is stored, and which ports have a URL.

import * as z from "zod";
import { limits } from "../../src/contract/limits.ts";
import { formatDuration } from "../../src/format/format-duration.ts";
import { DEFAULT_SANDBOX } from "../../src/sandbox/sandbox.ts";
import { flag, jsonText, textList, wholeNumber } from "../input.ts";
import { sandboxName } from "../sandbox-name.ts";
import { defineTool, type ToolAnswer, type ToolCall } from "../tool.ts";
import { configure, destroy, expose, list, refuse, status, stop, unexpose, viewOf } from "./actions.ts";
import { runCheckpointAction } from "./checkpoint-actions.ts";

const reading = {
  checkpoint: z.string().min(1).optional().describe("Id or name of a checkpoint"),
  to: z.string().min(1).optional().describe("diff: the checkpoint to compare with; default the files of now"),
  path: z.string().min(1).optional().describe("diff: show the text of this file"),
  sandbox: sandboxName(),
};

const readInput = z.object({ action: z.enum(["status", "list", "checkpoints", "diff"]), ...reading });

const input = z.object({
  action: z.enum([
    ...["status", "list", "configure", "stop", "destroy", "expose", "unexpose"],
    ...["checkpoint", "checkpoints", "diff", "restore", "fork", "delete_checkpoint"],
  ] as const),
  ...reading,
  name: z.string().min(1).optional().describe("checkpoint: a name to find it by, keeps it until deleted"),
  into: sandboxName().describe("fork: the new sandbox"),
  env: jsonText(z.record(z.string(), z.unknown()))
    .optional()
    .describe("configure: variables for every command from now on; null removes one"),
  sleep_after: z.string().optional().describe('configure: idle time such as "30m", or "default"'),
  egress: z
    .string()
    .optional()
    .describe('configure: "none", "packages" (registries, git hosts), "internet" or "default"'),
  allow: textList()
    .optional()
    .describe('configure: hosts to reach too, such as "*.example.com"; "-host" takes one away'),
  deny: textList().optional().describe("configure: hosts never to reach; same form"),
  port: wholeNumber(1, 65_535).optional().describe("expose, unexpose"),
  wake: flag().optional().describe("expose: requests wake a sleeping machine"),
  command: z.string().min(1).optional().describe("expose: started when such a request finds nobody listening"),
  expires_in: z
    .string()
    .optional()
    .describe(`expose: such as "8h"; default ${formatDuration(limits.previewDefaultMs)}`),
  with_checkpoints: flag().optional().describe("destroy: delete its checkpoints too"),
});

type SandboxInput = z.infer<typeof input>;

const rows = () => z.array(z.record(z.string(), z.unknown())).optional();

const output = z.looseObject({
  name: z.string().optional(),
  state: z.string().optional(),
  url: z.string().optional(),
  sandboxes: rows(),
  previews: rows(),
  settings: rows(),
  hosts: rows(),
  checkpoints: rows(),
  notice: z.string().optional(),
});

/** For a caller who may only look. */
export const sandboxReading = defineTool({
  name: "sandbox",
  title: "Look at sandboxes",
  description:
    "Shows sandboxes, which are named Linux machines: status of one, list of all, the checkpoints (stored copies of the files) of one, and the diff between two of those or against now.",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "sandbox:read",
  input: readInput,
  output,
  run: (input, call) => run({ ...input }, call, false),
});

export const sandbox = defineTool({
  name: "sandbox",
  title: "Look after sandboxes",
  description:
    "Looks after sandboxes, which are named Linux machines whose files outlast them. status, list; configure (environment, sleep time, which hosts it may reach); " +
    "stop (sleep now, files stay) and destroy; expose gives a port a URL that needs no key, for dev servers too, with WebSockets. " +
    "A checkpoint is a stored copy of the files: one is taken before each sleep and some seconds after changes. checkpoint takes one by name; " +
    "restore goes back to one, fork makes a new sandbox of one or of now.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  scope: "sandbox:exec",
  input,
  output,
  run: (input, call) => run(input, call, true),
});

async function run(input: SandboxInput, call: ToolCall, mayUse: boolean): Promise<ToolAnswer> {
  const target = call.sandboxes.open(input.sandbox ?? DEFAULT_SANDBOX);
  const view = viewOf(call, mayUse);
  switch (input.action) {
    case "status":
      return status(target, view);
    case "list":
      return list(call, view);
    case "configure":
      return configure(target, input, view);
    case "stop":
      return stop(target);
    case "destroy":
      // The one action whose target must not be a matter of a default.
      if (input.sandbox === undefined)
        return refuse('Argument "sandbox" is missing: destroy needs the name, also for "default".');
      return destroy(target, input.with_checkpoints ?? false);
    case "expose":
    case "unexpose": {
      const { port, wake, command, expires_in } = input;
      if (port === undefined)
        return refuse(`Argument "port" is missing: ${input.action} needs the port of a program in the machine.`);
      return input.action === "unexpose"
        ? unexpose(target, port)
        : expose(target, { port, wake, command, expires_in }, view);
    }
    default:
      return runCheckpointAction(input.action, input, target);
  }
}
