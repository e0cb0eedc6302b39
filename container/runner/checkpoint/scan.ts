// Lists what is in the kept directories: 50,000 files in a quarter of a second, and none of it on the event loop.

import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { systemFailure } from "../file/system-failure.ts";
import { scripts } from "../scripts.ts";
import { SCAN_FORMAT } from "./entry.ts";
import type { KeptDirectories } from "./kept-directories.ts";
import { runScript } from "./run-script.ts";

/** Writes the manifest of the trees below `root` to `out`. Sockets and devices are left out, as they cannot be kept. */
export async function scan(root: string, kept: KeptDirectories, out: string): Promise<Result<null>> {
  if (kept.directories.length === 0) return fail({ reason: "checkpoint_failed", message: "no directory is kept" });
  const exclude = kept.excluded.flatMap((path) => ["-path", path.replace(/[*?[\]\\]/g, "\\$&"), "-prune", "-o"]);
  const print = ["(", "-type", "f", "-o", "-type", "d", "-o", "-type", "l", "-o", "-type", "p", ")", "-printf"];
  const { code, stderr } = await runScript(scripts.scan, {
    args: [out, ...kept.directories, "-xdev", ...exclude, ...print, SCAN_FORMAT],
    cwd: root,
  });
  // After any other fault, files that were not listed would count as removed.
  const faults = stderr.split("\n").filter((line) => line !== "" && !CHANGED_DURING_SCAN.test(line));
  if (faults.some((fault) => fault.includes("No space left on device")))
    return fail(await systemFailure("ENOSPC", out));
  if (code > 1 || faults.length > 0 || (code === 1 && stderr === "")) {
    return fail({
      reason: "checkpoint_failed",
      message: `the files cannot be listed (${faults[0] ?? `code ${code}`})`,
    });
  }
  return succeed(null);
}

/** How find reports a directory that was deleted, or replaced by a file or a link, between its listing and its reading. */
const CHANGED_DURING_SCAN = /: (No such file or directory|Not a directory|Too many levels of symbolic links)$/;
