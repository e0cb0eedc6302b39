// Waits for a machine to end by polling, because the platform has no event for it that can be awaited.

import { pause } from "../pause.ts";
import type { MachinePlatform } from "./machine-platform.ts";

/** Resolves to false when the machine is still running after the timeout. */
export async function untilStopped(
  platform: Pick<MachinePlatform, "isRunning">,
  { withinMs, pollMs }: { withinMs: number; pollMs: number },
): Promise<boolean> {
  for (const until = Date.now() + withinMs; platform.isRunning; ) {
    if (Date.now() >= until) return false;
    await pause(pollMs);
  }
  return true;
}
