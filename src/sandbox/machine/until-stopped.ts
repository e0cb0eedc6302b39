// Waits for a machine to end. The platform has no event for it that can be awaited, so it is polled.

import { pause } from "../pause.ts";
import type { MachinePlatform } from "./machine-platform.ts";

/** False when the machine still runs after the time. */
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
