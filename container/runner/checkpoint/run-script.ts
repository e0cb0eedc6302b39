// Runs the scripts in scripts.ts. They do the heavy work outside the runner, with find, sort, tar, zstd and diff. What varies
// reaches a script as an argument or on stdin, never as a part of its text.

import { type ChildProcess, spawn } from "node:child_process";
import { PassThrough, type Writable } from "node:stream";
import { scripts } from "../scripts.ts";
import { ScriptNotStarted } from "./script-start.ts";

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

/** Resolves whatever the exit code. Rejects with ScriptNotStarted. */
export function runScript(script: string, options: ScriptOptions): Promise<ScriptResult> {
  const { stdin, ended } = startScript(script, options);
  stdin.end();
  return ended;
}

/** `stdin` never fails: what is written after the script has stopped reading is dropped. `ended` may reject as in runScript(). */
export function startScript(script: string, { args, cwd }: ScriptOptions): RunningScript {
  // stdin is a socket here. Bash takes that for a remote login and would read the user's .bashrc without --norc.
  const child = spawn("/bin/bash", ["--norc", "-c", scripts.compression + script, "bash", ...args], {
    cwd,
    env: ENVIRONMENT,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // Without file descriptors for its pipes the child has none, whatever its type says.
  if (!hasPipes(child)) return { stdin: new PassThrough().resume(), ended: untilNotStarted(child) };
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
    child.once("error", (error) => reject(notStarted(error)));
    child.once("close", (code) => resolve({ code: code ?? 128, stdout, stderr }));
  });
  return { stdin: child.stdin, ended };
}

const hasPipes = ({ stdin }: { stdin: Writable | null | undefined }): boolean => stdin !== null && stdin !== undefined;

const untilNotStarted = (child: ChildProcess): Promise<ScriptResult> =>
  new Promise((_, reject) => child.once("error", (error) => reject(notStarted(error))));

const notStarted = (cause: Error): ScriptNotStarted =>
  new ScriptNotStarted("A script of a checkpoint was not started", { cause });

const STDERR_CHARS = 4_000;

/** PATH names the system's own tools, whatever the user has installed in front of them. */
const ENVIRONMENT = {
  PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C",
  NODE: process.execPath,
  NODE_ZSTD: scripts.nodeZstd,
};
