// Runs the client of Docker.

import { spawn } from "node:child_process";
import { type GuardedProcess, runGuarded, startGuarded } from "./guarded-process.ts";
import { printLinesOf } from "./print-lines.ts";
import { UserError } from "./user-error.ts";

/** wrangler reads the same setting, for a client with another name. */
const client = (): string => process.env["WRANGLER_DOCKER_BIN"] ?? "docker";

/** Prints the output of the client while it runs, since a build may take minutes. */
export async function runDocker(args: string[]): Promise<void> {
  const code = await runGuarded({ command: client(), args, env: process.env, onLine: printLinesOf("docker") });
  if (code !== 0) throw new UserError(`"docker ${args[0]}" failed; what is printed above says why.`);
}

/** Starts the client, which runs until it is stopped. */
export function startDocker(args: string[], onLine: (line: string) => void): GuardedProcess {
  const started = startGuarded({ command: client(), args, env: process.env, onLine });
  // No command of the client says that it is ready, so this rejects at its end.
  started.ready.catch(() => undefined);
  return started;
}

/**
 * Resolves with the output, or with null when the client fails or is not installed. The client has a session of its own: Ctrl-C in
 * the terminal would end it while it stops machines, before they have stored their files.
 */
export function readDocker(args: string[], timeoutMs?: number): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(client(), args, {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code === 0 ? output.trim() : null));
  });
}
