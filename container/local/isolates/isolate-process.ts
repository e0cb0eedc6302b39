// One workerd process that runs isolates, one at a time. It can be ended at any moment without touching another call.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { request } from "node:http";
import { setPriority } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { limits } from "../../../src/contract/limits.ts";
import { readStat } from "../../proc/process-stat.ts";
import { residentBytes } from "../../proc/resident-bytes.ts";

export interface IsolateProgram {
  workerd: string;
  /** The directory with the configuration and the Worker that it embeds. */
  bundle: string;
  /** The address of the egress gate, and the token that it wants. */
  egress: { address: string; token: string };
}

/** Why a process was ended, or ended by itself. */
export type EndReason = "deadline" | "cpu" | "memory" | "crash" | "caller";

/** Data of one process: V8 reserves some 550 MiB of it, and the rest is for the code. On the platform the code has 128 MB. */
const DATA_KIB = 1024 * 1024;
/** Memory that code leaves behind is returned late, if ever; a process that holds more than this is replaced. */
const REUSABLE_BYTES = 192 * 1024 * 1024;
/** Below the Worker and the machines, so that code that uses all it can get does not delay other calls. */
const NICENESS = 5;
/** The kernel counts CPU time in 100 ticks per second. */
const MS_PER_TICK = 10;
const READY_WITHIN_MS = 30_000;
const ANSWER_WITHIN_MS = 2_000;
const OUT_OF_MEMORY = /out of memory|Cannot allocate memory/i;

export class IsolateProcess {
  /** Resolves when the process has ended and its output is read; never rejects. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #socket: string;
  #logs: string[] = [];
  #logChars = 0;
  #stderr = "";
  #reason: EndReason | null = null;

  constructor(program: IsolateProgram, socket: string) {
    rmSync(socket, { force: true });
    this.#socket = socket;
    this.#child = spawn("sh", ["-c", BOUNDED, String(DATA_KIB), program.workerd, ...argumentsOf(program, socket)], {
      env: { EGRESS_TOKEN: program.egress.token },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    this.ended = this.#untilEnded();
    const { stdout, stderr } = this.#child;
    if (stdout !== null) createInterface({ input: stdout }).on("line", (line) => this.#addLog(line));
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4_000);
    });
  }

  /** Resolves when the process accepts runs and has made one. Rejects when it ends before. */
  async ready(): Promise<void> {
    const control = this.#child.stdio[3];
    if (control === null || control === undefined) throw new Error(START_FAILED);
    const late = AbortSignal.timeout(READY_WITHIN_MS);
    // The only message is the one about the socket, which is open by then.
    const listening = once(control, "data", { signal: late }).then(() => true);
    const isUp = await Promise.race([listening, this.ended.then(() => false)]).catch(() => false);
    if (!isUp || !(await answers(this.#socket, "/warm-up")))
      throw new Error(`${START_FAILED}: ${this.#stderr.split("\n")[0]}`);
    try {
      setPriority(this.#child.pid ?? 0, NICENESS);
    } catch {
      // It has ended in this moment, which `ended` tells.
    }
  }

  /** CPU time since the start of the process, in milliseconds; 0 on a system that does not tell. */
  get cpuMs(): number {
    return (readStat(this.#child.pid ?? 0)?.cpuTicks ?? 0) * MS_PER_TICK;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Why the process was ended; null while nothing has gone wrong. */
  get endReason(): EndReason | null {
    if (this.#reason !== null || this.isAlive) return this.#reason;
    return OUT_OF_MEMORY.test(this.#stderr) ? "memory" : "crash";
  }

  /** A JSON array of the log entries since the last call. */
  takeLogs(): string {
    const text = `[${this.#logs.join(",")}]`;
    this.#logs = [];
    this.#logChars = 0;
    return text;
  }

  /** Ends the process at once. */
  end(reason: EndReason): Promise<void> {
    if (this.isAlive) this.#reason ??= reason;
    this.#child.kill("SIGKILL");
    return this.ended;
  }

  /** Whether the process answers, and is not too large, so that it can run other code. */
  async isReusable(): Promise<boolean> {
    if (!this.isAlive || !(await answers(this.#socket, "/"))) return false;
    return residentBytes(this.#child.pid ?? 0) <= REUSABLE_BYTES;
  }

  async #untilEnded(): Promise<void> {
    this.#child.once("error", () => this.#child.emit("close"));
    await once(this.#child, "close");
    rmSync(this.#socket, { force: true });
  }

  #addLog(line: string): void {
    if (this.#logChars > limits.runLogMaxChars * 2) return;
    this.#logs.push(line);
    this.#logChars += line.length;
  }
}

const START_FAILED = "The process for isolates did not start";

const BOUNDED = 'ulimit -d "$0" 2>/dev/null; exec "$@"';

const argumentsOf = ({ bundle, egress }: IsolateProgram, socket: string): string[] => [
  ...["serve", "--experimental", join(bundle, "isolates.capnp")],
  ...["--external-addr", `egress=${egress.address}`, "--socket-addr", `run=unix:${socket}`, "--control-fd=3"],
];

function answers(socketPath: string, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ socketPath, path, timeout: ANSWER_WITHIN_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 204);
    });
    call.once("timeout", () => call.destroy());
    call.once("error", () => resolve(false)).end();
  });
}
