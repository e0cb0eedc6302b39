// Removes temporary files that killed runners left behind. This happens at the first write into a directory, and never touches
// files that this runner or another living one may be using.

import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "./error-code.ts";
import { isOwnTemporary, TEMPORARY_NAME } from "./temporary-name.ts";

const swept = new Set<string>();
/** How many directories are remembered. One that is forgotten is swept once more. */
const REMEMBERED_MAX = 10_000;

/** Runs in the background: no write waits for it or fails because of it. */
export function sweepOnce(directory: string): void {
  if (swept.has(directory)) return;
  if (swept.size >= REMEMBERED_MAX) swept.clear();
  swept.add(directory);
  void sweep(directory).catch((error: unknown) => {
    if (errorCode(error) === null) console.error(error);
  });
}

async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!TEMPORARY_NAME.test(name) || isOwnTemporary(name)) continue;
    const path = join(directory, name);
    // Compares the change time, because a copy takes its modification time from its source.
    const { ctimeMs } = await lstat(path);
    if (ctimeMs < performance.timeOrigin) await rm(path, { recursive: true, force: true });
  }
}
