// Ends a child of a test when the process that runs the test ends, whatever ends that: a test that fails or is killed leaves nothing
// running.

import { type ChildProcess, spawn } from "node:child_process";
import { processIds } from "../container/proc/proc-file.ts";
import { readStat } from "../container/proc/process-stat.ts";

/** The time that the child has for ending its own children after SIGTERM. */
const GRACE_S = 10;

export function endWithTests(child: ChildProcess): void {
  if (child.pid !== undefined) child.once("exit", guard(child.pid));
}

/** The same for each workerd that wrangler or Miniflare has started here. Returns what must be called once they have ended. */
export function endWorkerdWithTests(): () => void {
  const children = processIds().flatMap((pid) => readStat(pid) ?? []);
  const releases = children
    .filter(({ parent, name }) => parent === process.pid && name === "workerd")
    .map(({ pid }) => guard(pid));
  return () => {
    for (const release of releases) release();
  };
}

/** The function that is returned must be called once the process has ended, because another one may get its id. */
function guard(pid: number): () => void {
  // The kernel closes this process's end of the pipe with the process. The guard has a session of its own, so that Ctrl-C in the
  // terminal does not reach it.
  const script = `read -r _ || { kill -TERM "$0"; sleep ${GRACE_S}; kill -KILL "$0"; } 2>/dev/null`;
  const guardian = spawn("sh", ["-c", script, String(pid)], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  guardian.stdin.on("error", () => undefined);
  guardian.unref();
  return () => guardian.stdin.end("ended\n");
}
