// A group of a sandbox's settings: how it is stored, what a change to it looks like, and how it is described. Groups are
// listed in sandbox-settings.ts; a new one is a file of its own and a line there.

import type * as z from "zod";
import type { Result } from "../../contract/result.ts";
import type { EgressBounds } from "../../egress/policy.ts";
import type { Lifetime } from "../machine/lifetime.ts";

/** What the deployment allows at most. */
export interface SettingBounds extends Lifetime {
  egress: EgressBounds;
}

export interface SettingGroup<Stored, Change extends z.ZodType> {
  initial: Stored;
  stored: z.ZodType<Stored>;
  /** Every field optional: what is absent stays as it is. */
  change: Change;
  /** A failure says what to send instead, and nothing is changed. */
  apply(stored: Stored, change: z.infer<Change>, bounds: SettingBounds): Result<Stored>;
  describe(stored: Stored, bounds: SettingBounds): SettingDescription[];
}

/** One setting as status shows it. A value that must not be shown is null. */
export interface SettingDescription {
  name: string;
  value: string | null;
  remark: string | null;
}
