// Runs the scripts in scripts.ts. They do the heavy work outside the runner, with find, sort, tar, zstd and diff. What varies
// reaches a script as an argument or on stdin, never as a part of its text.

import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { scripts } from "../scripts.ts";

export interface ScriptResult {
  /** The exit code; 128 or more after a signal. */
  code: number;
  stdout: string;
  /** Its first few thousand characters. */
  stderr: string;
}

export interface ScriptOptions {
  /** The script's arguments, `"$1"` and so on. Names that may not be UTF-8 go to its stdin instead. */
  args: readonly string[];
  cwd: string;
}

export interface RunningScript {
  stdin: Writable;
  ended: Promise<ScriptResult>;
}

/** Resolves whatever the exit code. Rejects when there is no bash. */
export function runScript(script: string, options: ScriptOptions): Promise<ScriptResult> {
  const { stdin, ended } = startScript(script, options);
  stdin.end();
  return ended;
}

/** `stdin` never fails: what is written after the script has stopped reading is dropped. */
export function startScript(script: string, { args, cwd }: ScriptOptions): RunningScript {
  // stdin is a socket here. Bash takes that for a remote login and would read the user's .bashrc without --norc.
  const child = spawn("/bin/bash", ["--norc", "-c", scripts.compression + script, "bash", ...args], {
    cwd,
    env: ENVIRONMENT,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("latin1").on("data", (text: string) => {
    if (stderr.length < STDERR_CHARS) stderr += text.slice(0, STDERR_CHARS);
  });
  const ended = new Promise<ScriptResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 128, stdout, stderr }));
  });
  return { stdin: child.stdin, ended };
}

const STDERR_CHARS = 4_000;

/** PATH names the system's own tools, whatever the user has installed in front of them. */
const ENVIRONMENT = {
  PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C",
  NODE: process.execPath,
  NODE_ZSTD: scripts.nodeZstd,
};
