// The actions on a sandbox as a whole, by name, with the schemas of their requests and values. The Durable Object carries them out,
// as the runner carries out the operations of the contract.

import * as z from "zod";
import { DiskSpace } from "../contract/disk.ts";
import { Gaps } from "../contract/gap.ts";
import { RUNNER_PORT } from "../contract/operation.ts";
import { HostActivity } from "../egress/host-activity.ts";
import { SettingsChange } from "./settings/sandbox-settings.ts";

export const Preview = z.object({
  port: z.number().int(),
  /** `<port>-<token>`, the first label of the host name. */
  label: z.string(),
  wake: z.boolean(),
  command: z.string().nullable(),
  expires_at: z.number().int(),
});
export type Preview = z.infer<typeof Preview>;

export const SandboxStatus = z.object({
  name: z.string(),
  state: z.enum(["asleep", "starting", "awake"]),
  /** False when its machine is up and did not answer when it was last asked; the rest is then what was known before. */
  is_responding: z.boolean().default(true),
  /** Epoch milliseconds; null for a sandbox that does not exist yet. */
  created_at: z.number().int().nullable(),
  last_used_at: z.number().int().nullable(),
  /** As last measured; null before the first time. */
  disk_bytes: z.number().int().nullable(),
  checkpoint_at: z.number().int().nullable(),
  running_processes: z.number().int(),
  previews: z.array(Preview),
});
export type SandboxStatus = z.infer<typeof SandboxStatus>;

/** When the files of a sandbox are stored next, and why the last attempt failed. Times are epoch milliseconds. */
export const FilesStatus = z.object({
  /** The first change that is not stored; null when none is known, or no machine is up. */
  unsaved_since: z.number().int().nullable(),
  /** Null when nothing can have changed, and while a checkpoint is being taken. */
  next_at: z.number().int().nullable(),
  is_storing: z.boolean(),
  /** Null when the last attempt succeeded. */
  problem: z.string().nullable(),
});
export type FilesStatus = z.infer<typeof FilesStatus>;

export const SandboxDetails = SandboxStatus.extend({
  /** The machine's disk; null when no machine is up, or it does not tell. */
  disk: DiskSpace.nullable().default(null),
  /** What does not confine the machine that is up. */
  gaps: Gaps.default([]),
  files: FilesStatus.default({ unsaved_since: null, next_at: null, is_storing: false, problem: null }),
  hosts: z.array(HostActivity),
  settings: z.array(z.object({ name: z.string(), value: z.string().nullable(), remark: z.string().nullable() })),
});
export type SandboxDetails = z.infer<typeof SandboxDetails>;

export const PreviewPort = z
  .int()
  .min(1)
  .max(65_535)
  .refine((port) => port !== RUNNER_PORT, {
    error: `Port ${RUNNER_PORT} belongs to the machine itself and cannot be exposed.`,
  });

export const adminActions = {
  status: { request: z.object({}), value: SandboxDetails },
  configure: { request: SettingsChange, value: SandboxDetails },
  stop: {
    request: z.object({}),
    value: z.object({
      was_up: z.boolean(),
      ended_processes: z.number().int(),
      /** The machine did not answer, so its files could not be stored. */
      is_forced: z.boolean().default(false),
    }),
  },
  /** The checkpoints stay. */
  destroy: {
    request: z.object({}),
    value: z.object({ existed: z.boolean(), ended_processes: z.number().int(), previews: z.number().int() }),
  },
  /** A port that is exposed already keeps its URL, with the new options. */
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

export type AdminAction = keyof typeof adminActions;
export type AdminRequest<Action extends AdminAction> = z.infer<(typeof adminActions)[Action]["request"]>;
export type AdminValue<Action extends AdminAction> = z.infer<(typeof adminActions)[Action]["value"]>;

export const isAdminAction = (name: string): name is AdminAction => Object.hasOwn(adminActions, name);
