// Runs the tools that do the heavy work outside the runner: find, sort, tar, zstd and diff, joined by a shell. Scripts are constants;
// what varies comes as arguments, in the environment, or on standard input.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Writable } from "node:stream";

export interface Ended {
  /** The exit code; 128 and more for a signal. */
  code: number;
  stdout: string;
  /** Its first few thousand characters. */
  stderr: string;
}

export interface Program {
  /** For the script, as `"$1"` and so on. Names that may be no UTF-8 go to its standard input instead. */
  args: readonly string[];
  cwd: string;
}

export interface Running {
  stdin: Writable;
  ended: Promise<Ended>;
}

/** Resolves however the script ends; rejects where there is no shell. */
export function runScript(script: string, program: Program): Promise<Ended> {
  const { stdin, ended } = startScript(script, program);
  stdin.end();
  return ended;
}

/** `stdin` never fails: once the script reads no more, what is written is dropped. */
export function startScript(script: string, { args, cwd }: Program): Running {
  // A shell whose standard input is a socket, as it is here, takes itself for a remote login and would read a user's .bashrc.
  const child = spawn("/bin/bash", ["--norc", "-c", PRELUDE + script, "bash", ...args], {
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
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 128, stdout, stderr }));
  });
  return { stdin: child.stdin, ended };
}

const STDERR_CHARS = 4_000;

/** The system's own tools, whatever was installed before them in the PATH of commands. */
const SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

/** Where the system has no zstd, Node's own does the same in a process of its own. */
const NODE_ZSTD =
  'const z=require("node:zlib"),m=process.argv[1];' +
  'require("node:stream").pipeline(process.stdin,m==="-d"?z.createZstdDecompress():' +
  "z.createZstdCompress({chunkSize:262144,params:{[z.constants.ZSTD_c_compressionLevel]:1,[z.constants.ZSTD_c_checksumFlag]:1}})," +
  "process.stdout,e=>{if(e){console.error(e.message);process.exit(1)}})";

const ENVIRONMENT = { PATH: SYSTEM_PATH, LC_ALL: "C", NODE: process.execPath, NODE_ZSTD };

const systemHas = (tool: string): boolean => SYSTEM_PATH.split(":").some((path) => existsSync(`${path}/${tool}`));

const PRELUDE = systemHas("zstd")
  ? "compress() { zstd -q -c -1 -T0; }; decompress() { zstd -q -d -c; }\n"
  : 'compress() { "$NODE" -e "$NODE_ZSTD" -- -c; }; decompress() { "$NODE" -e "$NODE_ZSTD" -- -d; }\n';
