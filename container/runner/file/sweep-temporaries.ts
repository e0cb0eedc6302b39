// Removes what a write that was ended left beside files: at the first write into a directory, and only what is older than
// this runner, so that nothing in use goes.

import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "./system-failure.ts";

/** Beside the file that it will replace. What is left of a write that was ended has such a name, and is never listed. */
export const TEMPORARY_NAME = /^\.sandbox-mcp-[0-9a-f]{16}\.tmp$/;

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
    if (!TEMPORARY_NAME.test(name)) continue;
    const path = join(directory, name);
    const { mtimeMs } = await lstat(path);
    if (mtimeMs < performance.timeOrigin) await rm(path, { recursive: true, force: true });
  }
}
