// sandbox: manages the machines themselves: which there are, their settings, their checkpoints, and the URLs of their ports.

import * as z from "zod";
import { allows, requirements } from "../../src/auth/requirements.ts";
import { actionTool } from "../action-tool.ts";
import { openSandbox } from "../sandbox-name.ts";
import { sandboxActions } from "./actions.ts";
import { SandboxArguments } from "./arguments.ts";

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

export const sandbox = actionTool({
  name: "sandbox",
  title: (actions) => (actions.includes("configure") ? "Manage sandboxes" : "Inspect sandboxes"),
  description: [
    [null, "Sandboxes are named Linux machines whose files outlast them."],
    [["status"], "status, list."],
    [
      ["configure"],
      "configure (environment, sleep time, hosts it may reach); stop (sleep now, files are kept) and destroy; expose gives a port a " +
        "URL that needs no key, also for WebSockets.",
    ],
    [null, "A checkpoint is a stored copy of the files, taken before each sleep and some seconds after changes."],
    [["diff"], "checkpoints lists them; diff compares two, or one with the current files."],
    [
      ["restore"],
      "checkpoint takes one with a name; restore goes back to one; fork creates a sandbox from one or the current files.",
    ],
  ],
  input: SandboxArguments,
  output,
  table: sandboxActions,
  requires: requirements.tools.sandbox,
  context: (input, call, scopes) => ({
    sandbox: openSandbox(call, input.sandbox),
    sandboxes: call.sandboxes,
    view: {
      now: Date.now(),
      // The URL of a preview lets a caller use the program behind it.
      previewUrl: allows(scopes, requirements.answers.previewUrls) ? call.sandboxes.previewUrl : null,
    },
  }),
});
