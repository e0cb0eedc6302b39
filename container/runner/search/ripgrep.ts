// One run of ripgrep: arguments in, bounded pieces of its output out, and how it ended. It never outlives its reader: to
// leave the loop over `records` ends the process.

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
  /** 0 found, 1 found nothing, 2 had trouble; null where it was ended early or never ran. */
  code: number | null;
  /** What it said on stderr, bounded. */
  trouble: string;
}

export interface Ripgrep {
  /** Its output, cut at each `separator`. Rejects with the error of the spawn where the program cannot be run. */
  records(separator: "\n" | "\0"): AsyncGenerator<Buffer[]>;
  /** Ends it unless it comes to its end by itself within `graceMs`; `records` then end too. */
  stopSoon(graceMs: number): void;
  /** Processor time of its main thread. */
  processorMs(): number;
  /** Once the process is gone. */
  end(): Promise<RipgrepEnd>;
}

/** Above the words on a bad pattern, which repeat it and mark the place; far below what a million unreadable paths would say. */
const TROUBLE_MAX_BYTES = 4 * limits.searchPatternMaxBytes;

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
  const trouble = collect(child.stderr);
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
        // A process that has closed its output ends by itself, and then its exit code is worth having.
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
    end: async () => ({ code: await closed, trouble: await trouble }),
  };
}

async function collect(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      if (size < TROUBLE_MAX_BYTES) chunks.push(chunk);
      size += chunk.length;
    }
  } catch (error) {
    // The pipe goes with a process that was ended.
    if (!(error instanceof Error)) throw error;
  }
  return Buffer.concat(chunks).toString("utf8", 0, TROUBLE_MAX_BYTES);
}

/** Of a thread, in the kernel's nanoseconds; where the kernel does not count, the time since the start. */
function processorMs(thread: number, startedAt: number): number {
  try {
    return Number(readFileSync(`/proc/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return performance.now() - startedAt;
  }
}
