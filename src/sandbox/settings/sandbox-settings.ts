// Everything that configure may set on one sandbox, as one object: a key for each group.

import * as z from "zod";
import { type Result, succeed } from "../../contract/result.ts";
import type { Lifetime } from "../lifetime.ts";
import { environment } from "./environment.ts";
import type { SettingDescription } from "./group.ts";
import { sleep } from "./sleep.ts";

/** A group that an older version did not store starts with its initial value. */
export const SandboxSettings = z.object({
  environment: environment.stored.default(environment.initial),
  sleep: sleep.stored.default(sleep.initial),
});
export type SandboxSettings = z.infer<typeof SandboxSettings>;

export const SettingsChange = z.object({ ...environment.change.shape, ...sleep.change.shape });
export type SettingsChange = z.infer<typeof SettingsChange>;

/** All of the change or nothing of it. */
export function changeSettings(
  settings: SandboxSettings,
  change: SettingsChange,
  bounds: Lifetime,
): Result<SandboxSettings> {
  const newEnvironment = environment.apply(settings.environment, change, bounds);
  if (!newEnvironment.ok) return newEnvironment;
  const newSleep = sleep.apply(settings.sleep, change, bounds);
  if (!newSleep.ok) return newSleep;
  return succeed({ environment: newEnvironment.value, sleep: newSleep.value });
}

export const describeSettings = (settings: SandboxSettings, bounds: Lifetime): SettingDescription[] => [
  ...environment.describe(settings.environment, bounds),
  ...sleep.describe(settings.sleep, bounds),
];
