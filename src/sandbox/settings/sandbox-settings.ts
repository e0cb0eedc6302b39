// The settings of one sandbox as one object, with a key for each group.

import * as z from "zod";
import { type Result, succeed } from "../../contract/result.ts";
import { egress } from "./egress.ts";
import { environment } from "./environment.ts";
import type { SettingBounds, SettingDescription } from "./group.ts";
import { sleep } from "./sleep.ts";

/** A group that an earlier version of the code did not store has its initial value. */
export const SandboxSettings = z.object({
  egress: egress.stored.default(egress.initial),
  environment: environment.stored.default(environment.initial),
  sleep: sleep.stored.default(sleep.initial),
});
export type SandboxSettings = z.infer<typeof SandboxSettings>;

export const SettingsChange = z.object({
  ...egress.change.shape,
  ...environment.change.shape,
  ...sleep.change.shape,
});
export type SettingsChange = z.infer<typeof SettingsChange>;

/** Applies the whole change, or nothing of it. */
export function changeSettings(
  settings: SandboxSettings,
  change: SettingsChange,
  bounds: SettingBounds,
): Result<SandboxSettings> {
  const newEnvironment = environment.apply(settings.environment, change, bounds);
  if (!newEnvironment.ok) return newEnvironment;
  const newEgress = egress.apply(settings.egress, change, bounds);
  if (!newEgress.ok) return newEgress;
  const newSleep = sleep.apply(settings.sleep, change, bounds);
  if (!newSleep.ok) return newSleep;
  return succeed({ egress: newEgress.value, environment: newEnvironment.value, sleep: newSleep.value });
}

export const describeSettings = (settings: SandboxSettings, bounds: SettingBounds): SettingDescription[] => [
  ...egress.describe(settings.egress, bounds),
  ...environment.describe(settings.environment, bounds),
  ...sleep.describe(settings.sleep, bounds),
];
