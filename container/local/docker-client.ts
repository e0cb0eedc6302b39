// Runs the client of Docker.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { runGuarded } from "./guarded-process.ts";
import { UserError } from "./user-error.ts";

const run = promisify(execFile);

/** wrangler reads the same setting, for a client with another name. */
const client = (): string => process.env["WRANGLER_DOCKER_BIN"] ?? "docker";

/** Prints the output of the client while it runs, since a build may take minutes. */
export async function runDocker(args: string[]): Promise<void> {
  const code = await runGuarded({ command: client(), args, env: process.env, onLine: (line) => console.error(line) });
  if (code !== 0) throw new UserError(`"docker ${args[0]}" failed; what is printed above says why.`);
}

/** Resolves with the output, or with null when the client fails or is not installed. */
export async function readDocker(args: string[], timeoutMs?: number): Promise<string | null> {
  try {
    const { stdout } = await run(client(), args, timeoutMs === undefined ? {} : { timeout: timeoutMs });
    return stdout.trim();
  } catch {
    return null;
  }
}
