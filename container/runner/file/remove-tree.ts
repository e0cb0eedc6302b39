// Removes a directory with everything in it. `rm` descends directory by directory, so that no path is too long for it, and a
// million entries take no memory here.

import { rm } from "node:fs/promises";
import { errorCode } from "./error-code.ts";
import { runProgram } from "./run-program.ts";

/** Rejects with the system's error; entries removed before that stay removed. */
export async function removeTree(path: string): Promise<void> {
  try {
    await runProgram("rm", ["-rf", "--", path]);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    await rm(path, { recursive: true, maxRetries: 3 });
  }
}
