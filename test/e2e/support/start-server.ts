// Runs a real `npm start` for a test, with a state directory and a port of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineStateDir, projectIdOf } from "../../../container/local/engine-choice.ts";
import { endWithTests } from "../../end-with-tests.ts";
import { freePort } from "../../free-port.ts";
import { removeContainers, removeImages } from "./docker/containers.ts";
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
  /** Types into the terminal of a server that was started with `inTerminal`. */
  type: (keys: string) => void;
  /** Resolves with the exit code when the server has ended: null when a signal ended it. */
  ended: Promise<number | null>;
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
  /** Runs the command in a terminal of its own. Ending the server with SIGKILL closes the terminal. */
  inTerminal?: boolean;
}

export const startCommand: readonly string[] = [process.execPath, join(projectDir, "container/local/main.ts")];

/** `script` makes a terminal, in which the command is the foreground job, and passes on what it is sent. */
const inTerminalOf = (command: readonly string[]): readonly string[] => [
  ...["script", "--quiet", "--return", "--command", command.join(" "), "/dev/null"],
];

const key = "test-key-0123456789abcd";

export async function startServer(options: StartOptions = {}): Promise<Server> {
  const { env = {}, stateDir, port, command = startCommand, inTerminal = false } = options;
  const dir = stateDir ?? mkdtempSync(join(tmpdir(), "sandbox-mcp-"));
  const chosen = port ?? (await freePort());
  const [program = "", ...args] = [...withHosts(env["TEST_HOSTS"]), ...(inTerminal ? inTerminalOf(command) : command)];
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
    stdio: [inTerminal ? "pipe" : "ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  // It may end before every key is typed.
  child.stdin?.on("error", () => undefined);
  const ended = once(child, "exit").then(() => child.exitCode);
  // A test that fails may not reach the call that stops its server.
  endWithTests(child);
  await untilReady(child, () => output);
  const origin = `http://127.0.0.1:${chosen}`;
  return {
    url: `${origin}/mcp`,
    origin,
    key: env["SANDBOX_MCP_KEY"] ?? key,
    pid: child.pid ?? 0,
    stateDir: dir,
    output: () => output,
    ended,
    type: (keys) => void child.stdin?.write(keys),
    stop: async (signal = "SIGINT") => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const code = await ended;
      if (stateDir === undefined) removeState(dir);
      return code;
    },
  };
}

/** Replaces /etc/hosts in a mount namespace that ends with the server, which needs root. */
const withHosts = (hosts: string | undefined): readonly string[] =>
  hosts === undefined
    ? []
    : ["unshare", "--mount", "sh", "-ec", 'mount --bind "$TEST_HOSTS" /etc/hosts; exec "$@"', "sh"];

/** Removes the state directory, and what the engine has of it. */
export function removeState(stateDir: string): void {
  if (testEngine === "docker") {
    removeContainers(stateDir);
    removeImages(stateDir);
  }
  for (const path of [stateDir, engineStateDir(projectIdOf(stateDir))])
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

async function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  while (!output().includes("Ctrl-C ends")) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
