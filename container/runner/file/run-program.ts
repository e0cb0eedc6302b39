// Runs a program that works on whole trees, such as `cp` and `rm`. What it reports is turned into the error of the system that
// the same call from here would have thrown.

import { spawn } from "node:child_process";

/** Rejects with the system's error that the program reports first, or with EIO. */
export function runProgram(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
    const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let stderr = "";
    child.stderr.setEncoding("latin1").on("data", (text: string) => {
      if (stderr.length < STDERR_CHARS) stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) return resolve();
      const found = ERRORS.find(([, text]) => stderr.includes(text));
      const error = new Error(stderr.trim().split("\n")[0] ?? `${program} exited with ${code}`);
      reject(Object.assign(error, { code: found?.[0] ?? "EIO", errno: -1 }));
    });
  });
}

const STDERR_CHARS = 4_000;

const ERRORS: readonly (readonly [string, string])[] = [
  ["ENOSPC", "No space left on device"],
  ["EDQUOT", "Disk quota exceeded"],
  ["ENAMETOOLONG", "File name too long"],
  ["EACCES", "Permission denied"],
  ["EPERM", "Operation not permitted"],
  ["EROFS", "Read-only file system"],
  ["EBUSY", "Device or resource busy"],
];
