// sandbox: manages the machines themselves: which there are, their settings, their checkpoints, and the URLs of their ports.

import * as z from "zod";
import { runAction } from "../actions.ts";
import { openSandbox } from "../sandbox-name.ts";
import { defineTool, type ToolAnswer, type ToolCall } from "../tool.ts";
import { sandboxActions } from "./actions.ts";
import { allArguments, readOnlyArguments, type SandboxArguments } from "./arguments.ts";

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

export const sandbox = defineTool({
  name: "sandbox",
  title: "Manage sandboxes",
  description:
    "Manages sandboxes, which are named Linux machines whose files outlast them. status, list; configure (environment, sleep time, " +
    "hosts it may reach); stop (sleep now, files are kept) and destroy; expose gives a port a URL that needs no key, also for dev " +
    "servers with WebSockets. A checkpoint is a stored copy of the files: one is taken before each sleep and some seconds after " +
    "changes. checkpoint takes one with a name; restore goes back to one; fork creates a sandbox from one or from the current files.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  scope: "sandbox:exec",
  input: allArguments,
  output,
  run: (input, call) => run(input, call, call.sandboxes.previewUrl),
});

export const readOnlySandbox = defineTool({
  name: "sandbox",
  title: "Inspect sandboxes",
  description:
    "Shows sandboxes, which are named Linux machines: status of one, list of all, the checkpoints (stored copies of the files) of one, and the diff between two of them or with the current files.",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "sandbox:read",
  input: readOnlyArguments,
  output,
  // The URL of a preview would let a caller that may only read use the program behind it.
  run: (input, call) => run(input, call, null),
});

const run = (
  input: SandboxArguments,
  call: ToolCall,
  previewUrl: ToolCall["sandboxes"]["previewUrl"],
): Promise<ToolAnswer> => {
  const view = { now: Date.now(), previewUrl };
  return runAction(sandboxActions, input, {
    sandbox: openSandbox(call, input.sandbox),
    sandboxes: call.sandboxes,
    view,
  });
};
