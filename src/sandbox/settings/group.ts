// A group of a sandbox's settings: how it is stored, how it is changed, and how it is described. sandbox-settings.ts lists the
// groups; a new group is a file of its own and a line there.

import type * as z from "zod";
import type { Result } from "../../contract/result.ts";
import type { EgressBounds } from "../../egress/policy.ts";
import type { Lifetime } from "../machine/lifetime.ts";

/** The limits that the deployment sets. */
export interface SettingBounds extends Lifetime {
  egress: EgressBounds;
}

export interface SettingGroup<Stored, Change extends z.ZodType> {
  initial: Stored;
  stored: z.ZodType<Stored>;
  /** Every field is optional. A setting that is absent stays as it is. */
  change: Change;
  /** A failure changes nothing and says what to send instead. */
  apply(stored: Stored, change: z.infer<Change>, bounds: SettingBounds): Result<Stored>;
  describe(stored: Stored, bounds: SettingBounds): SettingDescription[];
}

/** One setting as `status` shows it. The value is null when it must not be shown. */
export interface SettingDescription {
  name: string;
  value: string | null;
  remark: string | null;
}
