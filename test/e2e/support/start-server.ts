// Runs a real `npm start` for a test, with a state directory and a port of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineStateDir, projectIdOf } from "../../../container/local/engine-choice.ts";
import { freePort } from "../../free-port.ts";
import { removeImages } from "./docker/containers.ts";
import { testEngine } from "./engine.ts";

export const projectDir = join(import.meta.dirname, "../../..");

export interface Server {
  /** The URL of the MCP endpoint. */
  url: string;
  origin: string;
  key: string;
  pid: number;
  stateDir: string;
  /** Everything that it has printed so far. */
  output: () => string;
  /** Sends the signal (SIGINT by default) and resolves with the exit code when the server has ended. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

export interface StartOptions {
  /** The variable TEST_HOSTS names a file that replaces /etc/hosts for the server. */
  env?: Record<string, string>;
  /** A directory that outlives the server. When absent, a new one is created and removed at the end. */
  stateDir?: string;
  port?: number;
  /** A command that becomes the server; `startCommand` when absent. */
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
      SANDBOX_MCP_ENGINE: testEngine,
      // Every test has a sandbox of its own; the tests of quotas set their own limits.
      MAX_SANDBOXES: "1000",
      MAX_AWAKE: "100",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exit = once(child, "exit");
  // A test that fails may not reach the call that stops its server.
  const stopAtExit = () => void child.kill("SIGINT");
  process.once("exit", stopAtExit);
  child.once("exit", () => process.off("exit", stopAtExit));
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

/** Replaces /etc/hosts in a mount namespace that ends with the server, which needs root. */
const withHosts = (hosts: string | undefined): readonly string[] =>
  hosts === undefined
    ? []
    : ["unshare", "--mount", "sh", "-ec", 'mount --bind "$TEST_HOSTS" /etc/hosts; exec "$@"', "sh"];

/** Removes the state directory, and the directory or the images of the engine that belong to it. */
export function removeState(stateDir: string): void {
  if (testEngine === "docker") removeImages(stateDir);
  for (const path of [stateDir, engineStateDir(projectIdOf(stateDir))])
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

async function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  while (!output().includes("Ctrl-C ends")) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
