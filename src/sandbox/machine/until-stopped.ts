// Waits for a machine to end by polling, because the platform has no event for it that can be awaited.

import { pause } from "../pause.ts";
import type { MachinePlatform } from "./machine-platform.ts";

/** Resolves to false when the machine is still running after the timeout. */
export async function untilStopped(
  platform: Pick<MachinePlatform, "isRunning">,
  { withinMs, pollMs }: { withinMs: number; pollMs: number },
): Promise<boolean> {
  // Counted in pauses: the clock of the host may be set while this waits.
  for (let waitedMs = 0; platform.isRunning; waitedMs += pollMs) {
    if (waitedMs >= withinMs) return false;
    await pause(pollMs);
  }
  return true;
}
