// Moves an engine that root runs into a mount namespace of its own; to be imported before anything that mounts. The kernel
// removes what is mounted there with its last process, so that an engine that is killed leaves no disk of a machine mounted.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Says that this process is in its own namespace. Deleted at once: machines and other programs never see it. */
const MARK = "SANDBOX_MCP_OWN_MOUNTS";
const UNSHARE = "/usr/bin/unshare";
/** What the host mounts later is still seen; what is mounted here is not seen by the host. */
const OPTIONS = ["--mount", "--propagation", "slave"];

const isApart = process.env[MARK] !== undefined;
delete process.env[MARK];
if (process.getuid?.() === 0 && !isApart && canUnshare()) {
  const command = ["unshare", ...OPTIONS, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(UNSHARE, command, { ...process.env, [MARK]: "" });
}

function canUnshare(): boolean {
  return existsSync(UNSHARE) && spawnSync(UNSHARE, [...OPTIONS, "true"], { stdio: "ignore" }).status === 0;
}
