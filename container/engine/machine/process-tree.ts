// The process tree of one machine, as the engine sees it: the `unshare` that waits for process 1 of the machine.

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { STDERR_TAIL_CHARACTERS } from "../limits.ts";

export class ProcessTree {
  /** The exit code, 128 + n after signal n. Resolves when no process of the machine is left; never rejects. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;
  #stderr = "";
  #wasKilled = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdin?.on("error", () => child.kill("SIGKILL"));
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderr = (this.#stderr + chunk).slice(-STDERR_TAIL_CHARACTERS);
    });
    this.ended = new Promise((resolve) => {
      child.once("error", () => resolve(127));
      // When process 1 is killed, `unshare` exits with 1, as for any other failure.
      child.once("exit", (code, signal) =>
        resolve(this.#wasKilled || code === null ? signalCode(signal ?? "SIGKILL") : code),
      );
    });
  }

  /** Lets the machine continue. Everything that it mounts must exist by then. `environment` is for its runner. */
  proceed(environment: Record<string, string>): void {
    this.#child.stdin?.write(`\n${JSON.stringify(environment)}\n`);
  }

  /** Resolves when the runner is up. Rejects when the machine ends before that, or when `signal` is aborted. */
  waitUntilUp(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      // Any output means that the runner is up. What follows is read, so that nothing blocks on a full pipe, and dropped.
      this.#child.stdout?.once("data", () => resolve()).resume();
      void this.ended.then((code) => reject(new Error(`exited with ${code}`)));
    });
  }

  /** The end of what the machine has written to its standard error. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  get wasKilled(): boolean {
    return this.#wasKilled;
  }

  /** Ends every process at once. */
  kill(): void {
    const { pid, exitCode, signalCode: signal } = this.#child;
    if (pid === undefined || exitCode !== null || signal !== null) return;
    this.#wasKilled = true;
    // Process 1 first: `unshare` then waits until every process is gone, so that its own exit means just that.
    if (!killChildren(pid)) this.#child.kill("SIGKILL");
  }
}

/** False where there is none to kill: `unshare` has not started process 1 yet. */
function killChildren(pid: number): boolean {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    for (const child of children) process.kill(Number(child), "SIGKILL");
    return children.length > 0;
  } catch {
    return false;
  }
}

const signalCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];
