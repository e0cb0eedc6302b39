// Runs ripgrep, with its output split into bounded records. The process never outlives its reader: leaving the loop over
// `records` ends it.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { limits } from "../../../src/contract/limits.ts";
import { Records } from "./records.ts";

export interface RipgrepOptions {
  /** The program; a name is looked up in PATH. */
  readonly program: string;
  readonly workspace: string;
  readonly signal: AbortSignal;
}

export interface RipgrepEnd {
  /** 0 for matches, 1 for none, 2 for errors; null when it was ended early or never ran. */
  code: number | null;
  /** What it printed on stderr, up to a limit. */
  stderr: string;
}

export interface Ripgrep {
  /** The output, split at each `separator`. Rejects with the error of the spawn when the program cannot be run. */
  records(separator: "\n" | "\0"): AsyncGenerator<Buffer[]>;
  /** Ends the process, and with it `records`, unless it ends by itself within `graceMs`. */
  stopSoon(graceMs: number): void;
  /** The processor time of its main thread. */
  processorMs(): number;
  /** Resolves when the process has ended. */
  end(): Promise<RipgrepEnd>;
}

/** Enough for the message about a bad pattern, which repeats the pattern; far less than a million unreadable paths print. */
const STDERR_MAX_BYTES = 4 * limits.searchPatternMaxBytes;

/** A path as ripgrep prints it below the root ".", in the form that answers show. */
export const cleanPath = (path: string): string => path.replace(/^(\.\/)+(?=.)/, "");

export function startRipgrep(args: readonly string[], options: RipgrepOptions): Ripgrep {
  const child = spawn(options.program, ["--no-config", ...args], {
    cwd: options.workspace,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], LC_ALL: "C.UTF-8" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const startedAt = performance.now();
  let failure: Error | null = null;
  child.once("error", (error) => {
    failure = error;
  });
  const stop = () => void child.kill("SIGKILL");
  options.signal.addEventListener("abort", stop, { once: true });
  if (options.signal.aborted) stop();
  const closed = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      options.signal.removeEventListener("abort", stop);
      resolve(failure === null ? code : null);
    });
  });
  const stderr = collect(child.stderr);
  return {
    async *records(separator) {
      const records = new Records(separator);
      let whole = false;
      try {
        for await (const chunk of child.stdout) {
          const complete = records.push(chunk);
          if (complete.length > 0) yield complete;
        }
        whole = true;
      } finally {
        // A process that has closed its output ends by itself; its exit code is then meaningful.
        if (!whole) stop();
      }
      await closed;
      if (failure !== null) throw failure;
    },
    stopSoon(graceMs) {
      const timer = setTimeout(stop, graceMs);
      void closed.then(() => clearTimeout(timer));
    },
    processorMs: () => (child.pid === undefined ? 0 : processorMs(child.pid, startedAt)),
    end: async () => ({ code: await closed, stderr: await stderr }),
  };
}

async function collect(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      if (size < STDERR_MAX_BYTES) chunks.push(chunk);
      size += chunk.length;
    }
  } catch (error) {
    // The pipe is destroyed with a process that is killed.
    if (!(error instanceof Error)) throw error;
  }
  return Buffer.concat(chunks).toString("utf8", 0, STDERR_MAX_BYTES);
}

/** The processor time of a thread, or the time since its start when the kernel does not count it. */
function processorMs(thread: number, startedAt: number): number {
  try {
    return Number(readFileSync(`/proc/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return performance.now() - startedAt;
  }
}
