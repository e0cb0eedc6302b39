// Runs the client of Docker.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { type GuardedProcess, runGuarded, startGuarded } from "./guarded-process.ts";
import { UserError } from "./user-error.ts";

/** wrangler reads the same setting, for a client with another name. */
const client = (): string => process.env["WRANGLER_DOCKER_BIN"] ?? "docker";

/** Prints the output of the client while it runs, since a build may take minutes. */
export async function runDocker(args: string[]): Promise<void> {
  const code = await runGuarded({ command: client(), args, env: process.env, onLine: (line) => console.error(line) });
  if (code !== 0) throw new UserError(`"docker ${args[0]}" failed; what is printed above says why.`);
}

/** Starts the client, which runs until it is stopped. */
export function startDocker(args: string[], onLine: (line: string) => void): GuardedProcess {
  const started = startGuarded({ command: client(), args, env: process.env, onLine });
  // No command of the client says that it is ready, so this rejects at its end.
  started.ready.catch(() => undefined);
  return started;
}

/** Resolves with the output, or with null when the client fails, is not installed, or takes longer than `timeoutMs`. */
export async function readDocker(args: string[], timeoutMs?: number): Promise<string | null> {
  // In a process group of its own, because Ctrl-C in a terminal would end it, and a stop needs the client.
  const child = spawn(client(), args, { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null)).once("close", resolve);
  });
  const output = await text(child.stdout);
  const code = await ended;
  clearTimeout(timer);
  return code === 0 ? output.trim() : null;
}
