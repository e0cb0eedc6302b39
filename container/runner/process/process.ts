// The record of one command: its streams, its state and how it ended.

import { constants } from "node:os";
import { limits } from "../../../src/contract/limits.ts";
import type { KilledBy } from "../../../src/contract/process.ts";
import { type ProcessStat, readStat, uptimeTicks } from "../../proc/process-stat.ts";
import { Notifier } from "../notifier.ts";
import type { OutputStream } from "../output/output-stream.ts";
import type { Origin } from "./census.ts";
import type { StdinWriter } from "./stdin-writer.ts";

/** How the direct child process ended. */
export interface Exit {
  code: number;
  signal: string | null;
}

export interface ProcessOptions {
  id: string;
  command: string;
  /** A hash of the request, which tells whether a repeat of the id repeats the request. */
  fingerprint: string;
  origin: Origin;
  /** The process id of the program between the runner and a command on a terminal; null for a command on pipes. */
  wrapper: number | null;
  stdout: OutputStream;
  stderr: OutputStream;
  /** Null when stdin is not left open. */
  stdin: StdinWriter | null;
  /** Notified by both streams. */
  outputChanged: Notifier;
  /** The kernel's count of kills for want of memory when the process started. */
  oomKills: number;
  /** When everything it started is ended; null for no limit. */
  timeoutMs: number | null;
}

export class Process implements Origin {
  readonly id: string;
  readonly command: string;
  readonly fingerprint: string;
  readonly wrapper: number | null;
  readonly tag: number;
  readonly marker: string;
  readonly leader: number;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: StdinWriter | null;
  readonly outputChanged: Notifier;
  /** Notified when `status` changes. */
  readonly stateChanged = new Notifier();
  readonly #oomKillsBefore: number;
  readonly startedAt = Date.now();
  readonly #started = performance.now();
  readonly #pipes: ReadonlySet<string>;
  readonly #timeoutMs: number | null;
  readonly #startTicks: number;
  #endTicks = Infinity;
  #durationMs: number | null = null;
  /** Becomes "exited" once its output is complete, or the wait for the rest of it is over. */
  status: "running" | "exited" = "running";
  exit: Exit | null = null;
  timedOut = false;
  killedBy: KilledBy | null = null;
  /** The signals sent on request, by name, each with the `killedBy` to report if the process ends by it. */
  readonly signalled = new Map<string, KilledBy>();
  /** Set while everything that it started is being ended. */
  ending: Promise<unknown> | null = null;
  /** How many processes it left running, as of the last scan. */
  leftRunning = 0;
  /** Which limit of the machine the command may have failed for; null for none. */
  hint: string | null = null;
  /** How many of those were ended when `timeoutMs` was over. */
  leftEnded = 0;
  /** How many processes that may be its were alive when all that is known to be its had been ended. */
  unclear = 0;

  constructor(options: ProcessOptions) {
    this.id = options.id;
    this.command = options.command;
    this.fingerprint = options.fingerprint;
    this.wrapper = options.wrapper;
    this.tag = options.origin.tag;
    this.marker = options.origin.marker;
    this.leader = options.origin.leader;
    this.#startTicks = Number(readStat(this.leader)?.startTime ?? uptimeTicks());
    this.#pipes = options.origin.pipes;
    this.stdout = options.stdout;
    this.stderr = options.stderr;
    this.stdin = options.stdin;
    this.outputChanged = options.outputChanged;
    this.#oomKillsBefore = options.oomKills;
    this.#timeoutMs = options.timeoutMs;
  }

  get pipes(): ReadonlySet<string> {
    return this.stdout.ended && this.stderr.ended ? new Set() : this.#pipes;
  }

  /** From its start to its end, or until now. */
  get durationMs(): number {
    return Math.round(this.#durationMs ?? performance.now() - this.#started);
  }

  /** How much longer what it started may run; null for no limit. */
  get remainingMs(): number | null {
    return this.#timeoutMs === null
      ? null
      : Math.max(0, Math.round(this.#timeoutMs - (performance.now() - this.#started)));
  }

  /** Whether another process began while this one ran, or while what it left running may have. */
  mayHaveStarted({ startTime }: ProcessStat): boolean {
    return Number(startTime) >= this.#startTicks && Number(startTime) <= (this.settled ? this.#endTicks : Infinity);
  }

  /** Nothing of it is alive. */
  get settled(): boolean {
    return this.status === "exited" && this.leftRunning === 0;
  }

  /** How many processes the kernel has killed for want of memory since the start; `count` is its count now. */
  oomKillsSince(count: number): number {
    return count - this.#oomKillsBefore;
  }

  /** Records that the direct child has ended; `oomKills` is the kernel's count now. */
  childExited(code: number | null, signal: string | null, oomKills: number): void {
    this.#durationMs = performance.now() - this.#started;
    this.#endTicks = uptimeTicks();
    this.exit = { code: code ?? 128 + signalNumber(signal), signal };
    const requested = [...this.signalled].find(([name]) => this.exit?.code === 128 + signalNumber(name));
    this.killedBy ??= requested?.[1] ?? this.#memoryReason(this.exit, oomKills);
    // A terminal's wrapper passes on only the exit code.
    if (this.wrapper !== null) this.exit.signal ??= requested?.[0] ?? null;
  }

  /** Waits until both streams have ended, or until the processes that still hold them have been quiet for a moment. */
  async waitForOutput(): Promise<void> {
    const deadline = performance.now() + limits.drainMaxMs;
    while (!(this.stdout.ended && this.stderr.ended)) {
      const now = performance.now();
      const quietSince = Math.max(this.stdout.lastActivityAt, this.stderr.lastActivityAt, now - limits.drainMaxMs);
      const remaining = Math.min(Math.max(quietSince, this.#exitedAt()) + limits.drainQuietMs, deadline) - now;
      if (remaining <= 0) return;
      await this.outputChanged.wait(Math.ceil(remaining));
      // A timer may fire before the poll that delivers waiting bytes, so one poll is let through.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #exitedAt(): number {
    return this.#started + (this.#durationMs ?? 0);
  }

  /** "memory" only when the kernel has counted a kill since the start and the process ended by a SIGKILL of the kernel. */
  #memoryReason(exit: Exit, oomKills: number): KilledBy | null {
    return exit.code === 128 + constants.signals.SIGKILL && this.oomKillsSince(oomKills) > 0 ? "memory" : null;
  }
}

function signalNumber(name: string | null): number {
  return Object.entries(constants.signals).find(([known]) => known === name)?.[1] ?? 0;
}
