// Removes a control group and those below it.

import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export function removeGroup(path: string): void {
  try {
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) removeGroup(join(path, entry.name));
    rmdirSync(path);
  } catch {
    // Absent, or one of its processes has not ended yet: removeWhenEmpty() or the next engine tries again.
  }
}

/** A group can be removed once its last process is reaped. */
export async function removeWhenEmpty(path: string): Promise<void> {
  for (let tries = 0; tries < 200 && existsSync(path); tries += 1) {
    removeGroup(path);
    if (existsSync(path)) await delay(10);
  }
}
