// Removes a dead machine's directory without holding up the engine: by `rm`, which never follows a link, as a process of
// its own. A machine may leave directories that even their owner cannot enter; those are opened first.

import { execFile } from "node:child_process";

/** Never rejects: what could not be removed is tried again when the next engine starts. */
export function removeTree(path: string): Promise<void> {
  return new Promise((resolve) => {
    execFile("sh", ["-c", SCRIPT, "sh", path], { env: { PATH: process.env["PATH"] } }, () => resolve());
  });
}

const SCRIPT = 'rm -rf --one-file-system -- "$1" 2>/dev/null || { chmod -R u+rwX -- "$1"; rm -rf -- "$1"; }';
