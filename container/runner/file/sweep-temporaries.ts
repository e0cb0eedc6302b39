// Removes what a write that was ended left beside files: at the first write into a directory, and only what a former runner
// left, so that nothing in use goes.

import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "./system-failure.ts";
import { isOwnTemporary, TEMPORARY_NAME } from "./temporary-name.ts";

const swept = new Set<string>();
/** So many are remembered; one that is forgotten is looked at once more. */
const REMEMBERED = 10_000;

/** In the background: no write waits for it, and none fails by it. */
export function sweepOnce(directory: string): void {
  if (swept.has(directory)) return;
  if (swept.size >= REMEMBERED) swept.clear();
  swept.add(directory);
  void sweep(directory).catch((error: unknown) => {
    if (errorCode(error) === null) console.error(error);
  });
}

async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!TEMPORARY_NAME.test(name) || isOwnTemporary(name)) continue;
    const path = join(directory, name);
    // Not the time of its content, which a copy takes over from its source.
    const { ctimeMs } = await lstat(path);
    if (ctimeMs < performance.timeOrigin) await rm(path, { recursive: true, force: true });
  }
}
