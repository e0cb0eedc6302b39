// When the machine of a sandbox sleeps. LONGEST_AWAKE, a setting of the deployment, bounds it.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { formatDuration } from "../../format/format-duration.ts";
import { parseDuration } from "../../format/parse-duration.ts";
import type { Lifetime } from "../machine/lifetime.ts";
import type { SettingGroup } from "./group.ts";

/** Null uses the setting of the deployment. */
const Stored = z.object({ after_ms: z.number().int().nullable() });
type Stored = z.infer<typeof Stored>;

const Change = z.object({ sleep_after: z.string().optional() });

export const sleep: SettingGroup<Stored, typeof Change> = {
  initial: { after_ms: null },
  stored: Stored,
  change: Change,
  apply,
  describe: ({ after_ms }, bounds) => [
    {
      name: "sleep_after",
      value: formatDuration(after_ms ?? bounds.sleepAfterMs),
      remark: `a running process keeps it awake for at most ${formatDuration(bounds.longestAwakeMs)} after the last call`,
    },
    {
      name: "size",
      value: "the deployment's",
      remark: "one size for all machines (instance_type in wrangler.jsonc); it cannot be changed from here",
    },
  ],
};

function apply(stored: Stored, { sleep_after }: z.infer<typeof Change>, bounds: Lifetime): Result<Stored> {
  if (sleep_after === undefined) return succeed(stored);
  if (sleep_after === "default") return succeed({ after_ms: null });
  const afterMs = parseDuration(sleep_after);
  const least = Math.min(limits.sleepAfterMinMs, bounds.longestAwakeMs);
  if (afterMs !== null && afterMs >= least && afterMs <= bounds.longestAwakeMs) return succeed({ after_ms: afterMs });
  return fail({
    reason: "invalid_request",
    message: `sleep_after is "${sleep_after}"; give a duration such as "20m", from ${formatDuration(least)} to ${formatDuration(bounds.longestAwakeMs)}, or "default".`,
  });
}
