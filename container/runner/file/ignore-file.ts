// Reads files of gitignore rules. Anything but a regular file is skipped: opening a FIFO would block one of the few threads that
// all file operations share.

import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import ignore, { type Ignore } from "ignore";
import { readRange } from "./read-chunks.ts";

/** A larger file is taken for something other than rules. */
const RULES_MAX_BYTES = 1024 * 1024;

/** The rules of all these files; a later file overrides an earlier one. Null when none can be read. */
export async function readIgnoreFiles(paths: readonly string[]): Promise<Ignore | null> {
  const texts = (await Promise.all(paths.map(readIfRules))).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.reduce((rules, text) => rules.add(text), ignore({ ignorecase: false }));
}

async function readIfRules(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size > RULES_MAX_BYTES) return null;
  // The path may name another file by now, hence O_NONBLOCK.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (handle === null) return null;
  try {
    return (await readRange(handle, 0, RULES_MAX_BYTES)).toString("utf8");
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return null;
  } finally {
    await handle.close();
  }
}
