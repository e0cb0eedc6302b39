// The arguments of the sandbox tool, for all its actions.

import * as z from "zod";
import { limits } from "../../src/contract/limits.ts";
import { formatDuration } from "../../src/format/format-duration.ts";
import { flag, orJson, stringList, wholeNumber } from "../input.ts";
import { sandboxName } from "../sandbox-name.ts";

export const SandboxArguments = z.object({
  action: z.enum([
    ...["status", "list", "configure", "stop", "destroy", "expose", "unexpose"],
    ...["checkpoint", "checkpoints", "diff", "restore", "fork", "delete_checkpoint"],
  ] as const),
  checkpoint: z.string().min(1).optional().describe("Id or name; checkpoints: list from it"),
  to: z.string().min(1).optional().describe("diff: the checkpoint to compare with; default the current files"),
  path: z.string().min(1).optional().describe("diff: only this path"),
  sandbox: sandboxName(),
  name: z.string().min(1).optional().describe("checkpoint: a name for it, which keeps it until it is deleted"),
  into: sandboxName().describe("fork: the new sandbox"),
  env: orJson(z.record(z.string(), z.unknown()))
    .optional()
    .describe("configure: variables for every command from now on; null removes one"),
  sleep_after: z.string().optional().describe('configure: idle time such as "30m", or "default"'),
  egress: z
    .string()
    .optional()
    .describe('configure: "none", "packages" (registries, git hosts), "internet" or "default"'),
  allow: stringList()
    .optional()
    .describe('configure: more hosts it may reach, such as "*.example.com"; "-host" removes one'),
  deny: stringList().optional().describe("configure: hosts it may never reach; same form"),
  port: wholeNumber(1, 65_535).optional().describe("expose, unexpose"),
  wake: flag().optional().describe("expose: requests wake a sleeping machine"),
  command: z
    .string()
    .min(1)
    .optional()
    .describe("expose: started when a request wakes the machine and nothing listens"),
  expires_in: z
    .string()
    .optional()
    .describe(`expose: such as "8h"; default ${formatDuration(limits.previewDefaultMs)}`),
  with_checkpoints: flag().optional().describe("destroy: delete its checkpoints too"),
});
export type SandboxArguments = z.infer<typeof SandboxArguments>;
