// The start of a command that gets a control group of its own from the systemd of an ordinary user, so that the engine can make
// groups for its machines in it (see cgroup.ts). Root makes them without.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Empty where there is no such systemd. The command stays the same process. */
export async function ownScope(): Promise<string[]> {
  if (process.getuid?.() === 0) return [];
  const [program = "", ...rest] = IN_SCOPE;
  try {
    await promisify(execFile)(program, [...rest, "true"], { timeout: PROBE_MS });
    return IN_SCOPE;
  } catch {
    return [];
  }
}

/** A bus that does not answer must not keep the server from starting. */
const PROBE_MS = 5_000;

/** A group of version 2 that has groups with limits may have no process itself (cgroups(7)). */
const MOVE_DOWN = `group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
{ mkdir "$group/engine" && echo 0 >"$group/engine/cgroup.procs"; } 2>/dev/null
exec "$@"`;

const IN_SCOPE = [
  ...["systemd-run", "--user", "--scope", "--quiet", "--collect", "--property=Delegate=yes"],
  ...["sh", "-c", MOVE_DOWN, "sh"],
];
