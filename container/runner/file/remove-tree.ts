// Removes a directory with everything in it, even if paths inside are longer than Linux accepts.

import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { errorCode } from "./system-failure.ts";

/** Rejects with the system's error; entries removed before that stay removed. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, maxRetries: 3 });
  } catch (error) {
    // `rm` descends directory by directory, so that it never uses a long path.
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
