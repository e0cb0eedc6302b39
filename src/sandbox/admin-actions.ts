// What can be done with a sandbox as a whole, by name, with the schema of each request and value: the counterpart, in the
// Durable Object, of the operations that the runner does.

import * as z from "zod";
import { RUNNER_PORT } from "../contract/operation.ts";
import { HostActivity } from "../egress/host-activity.ts";
import { SettingsChange } from "./settings/sandbox-settings.ts";

export const Preview = z.object({
  port: z.number().int(),
  /** `<port>-<token>`: the first label of its host name. */
  label: z.string(),
  wake: z.boolean(),
  command: z.string().nullable(),
  expires_at: z.number().int(),
});
export type Preview = z.infer<typeof Preview>;

export const SandboxStatus = z.object({
  name: z.string(),
  state: z.enum(["asleep", "starting", "awake"]),
  /** Epoch milliseconds; null for a sandbox that does not exist yet. */
  created_at: z.number().int().nullable(),
  last_used_at: z.number().int().nullable(),
  /** As last known; null when it was never counted. */
  disk_bytes: z.number().int().nullable(),
  checkpoint_at: z.number().int().nullable(),
  running_processes: z.number().int(),
  previews: z.array(Preview),
});
export type SandboxStatus = z.infer<typeof SandboxStatus>;

export const SandboxDetails = SandboxStatus.extend({
  hosts: z.array(HostActivity),
  settings: z.array(z.object({ name: z.string(), value: z.string().nullable(), remark: z.string().nullable() })),
});
export type SandboxDetails = z.infer<typeof SandboxDetails>;

export const PreviewPort = z
  .int()
  .min(1)
  .max(65_535)
  .refine((port) => port !== RUNNER_PORT, { error: `Port ${RUNNER_PORT} is the machine's own and is never exposed.` });

export const careActions = {
  status: { request: z.object({}), value: SandboxDetails },
  configure: { request: SettingsChange, value: SandboxDetails },
  stop: { request: z.object({}), value: z.object({ was_up: z.boolean(), ended_processes: z.number().int() }) },
  /** Its checkpoints stay. */
  destroy: {
    request: z.object({}),
    value: z.object({ existed: z.boolean(), ended_processes: z.number().int(), previews: z.number().int() }),
  },
  /** A port that is exposed already keeps its URL. */
  expose: {
    request: z.object({
      port: PreviewPort,
      wake: z.boolean(),
      command: z.string().nullable(),
      expires_in_ms: z.number().int().positive(),
    }),
    value: Preview,
  },
  unexpose: { request: z.object({ port: z.number().int() }), value: Preview },
} as const satisfies Record<string, { request: z.ZodType; value: z.ZodType }>;

export type CareAction = keyof typeof careActions;
export type CareRequest<Action extends CareAction> = z.infer<(typeof careActions)[Action]["request"]>;
export type CareValue<Action extends CareAction> = z.infer<(typeof careActions)[Action]["value"]>;

export const isCareAction = (name: string): name is CareAction => Object.hasOwn(careActions, name);
