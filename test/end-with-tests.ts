// Ends a child of a test when the process that runs the test ends, whatever ends that: a test that fails or is killed leaves nothing
// running.

import { type ChildProcess, spawn } from "node:child_process";

/** The time that the child has for ending its own children after SIGTERM. */
const GRACE_S = 10;

export function endWithTests(child: ChildProcess): void {
  if (child.pid === undefined) return;
  // The kernel closes this process's end of the pipe with the process. The guard has a session of its own, so that Ctrl-C in the
  // terminal does not reach it.
  const script = `read -r _ || { kill -TERM "$0"; sleep ${GRACE_S}; kill -KILL "$0"; } 2>/dev/null`;
  const guard = spawn("sh", ["-c", script, String(child.pid)], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  guard.stdin.on("error", () => undefined);
  guard.unref();
  child.once("exit", () => guard.stdin.end("ended\n"));
}
