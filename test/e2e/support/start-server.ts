// A real `npm start` for tests: its own state directory and port, and everything it printed.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineStateDir, projectIdOf } from "../../../container/local/engine-choice.ts";
import { freePort } from "../../free-port.ts";

export const projectDir = join(import.meta.dirname, "../../..");

export interface Server {
  /** Of the MCP endpoint. */
  url: string;
  origin: string;
  key: string;
  pid: number;
  stateDir: string;
  output: () => string;
  /** Resolves with the exit code once it has ended. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

export interface StartOptions {
  /** TEST_HOSTS is a file that takes the place of /etc/hosts for the server. */
  env?: Record<string, string>;
  /** Kept between two starts; a fresh one, removed at the end, when absent. */
  stateDir?: string;
  port?: number;
  /** Runs `npm start` and becomes it; `startCommand` when absent. */
  command?: readonly string[];
}

export const startCommand: readonly string[] = [process.execPath, join(projectDir, "container/local/main.ts")];

const key = "test-key-0123456789";

export async function startServer(options: StartOptions = {}): Promise<Server> {
  const { env = {}, stateDir, port, command = startCommand } = options;
  const dir = stateDir ?? mkdtempSync(join(tmpdir(), "sandbox-mcp-"));
  const chosen = port ?? (await freePort());
  const [program = "", ...args] = [...withHosts(env["TEST_HOSTS"]), ...command];
  const child = spawn(program, args, {
    cwd: projectDir,
    env: {
      ...process.env,
      PORT: String(chosen),
      SANDBOX_MCP_STATE: dir,
      SANDBOX_MCP_KEY: key,
      SANDBOX_MCP_ENGINE: "built-in",
      // Tests have a sandbox each; those of the quotas set their own.
      MAX_SANDBOXES: "1000",
      MAX_AWAKE: "100",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exit = once(child, "exit");
  // A test that fails half-way does not get to stop its server.
  const endWithUs = () => void child.kill("SIGINT");
  process.once("exit", endWithUs);
  child.once("exit", () => process.off("exit", endWithUs));
  await untilReady(child, () => output);
  const origin = `http://127.0.0.1:${chosen}`;
  return {
    url: `${origin}/mcp`,
    origin,
    key: env["SANDBOX_MCP_KEY"] ?? key,
    pid: child.pid ?? 0,
    stateDir: dir,
    output: () => output,
    stop: async (signal = "SIGINT") => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exit;
      if (stateDir === undefined) removeState(dir);
      return child.exitCode;
    },
  };
}

/** In a mount namespace that ends with the server. Needs root. */
const withHosts = (hosts: string | undefined): readonly string[] =>
  hosts === undefined
    ? []
    : ["unshare", "--mount", "sh", "-ec", 'mount --bind "$TEST_HOSTS" /etc/hosts; exec "$@"', "sh"];

/** With what the engine kept for it elsewhere. */
export function removeState(stateDir: string): void {
  for (const path of [stateDir, engineStateDir(projectIdOf(stateDir))])
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

async function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  while (!output().includes("Ctrl-C ends")) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
