// Removes a directory with everything in it, however long the paths inside are.

import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { errorCode } from "./system-failure.ts";

/** Rejects with the system's error; what was removed by then is gone. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, maxRetries: 3 });
  } catch (error) {
    // The program goes down directory by directory, so that it needs no path longer than Linux takes.
    if (errorCode(error) !== "ENAMETOOLONG" || !(await removeByProgram(path))) throw error;
  }
}

function removeByProgram(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn("rm", ["-rf", "--", path], { stdio: "ignore" });
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}
