// One command from its start until nobody remembers it: its streams, how it ended, and who waits for what.

import { constants } from "node:os";
import { limits } from "../../../src/contract/limits.ts";
import type { KilledBy } from "../../../src/contract/process.ts";
import type { OutputStream } from "../output/output-stream.ts";
import type { Origin } from "./census.ts";
import { Bell } from "./notifier.ts";
import type { Input } from "./stdin-writer.ts";

/** How the direct child ended. */
export interface Exit {
  code: number;
  signal: string | null;
}

export interface ProcessParts {
  id: string;
  command: string;
  /** Tells whether a repeat is the same request. */
  fingerprint: string;
  origin: Origin;
  /** The program between the runner and a command on a terminal. */
  wrapper: number | null;
  stdout: OutputStream;
  stderr: OutputStream;
  /** Null where stdin is not left open. */
  input: Input | null;
  /** Rung by both streams. */
  outputBell: Bell;
  memoryKills: number;
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
  readonly input: Input | null;
  readonly outputBell: Bell;
  /** Rung when `status` changes. */
  readonly stateBell = new Bell();
  /** The kernel's count when this started. */
  readonly memoryKillsBefore: number;
  readonly startedAt = Date.now();
  readonly #started = performance.now();
  readonly #pipes: ReadonlySet<string>;
  #durationMs: number | null = null;
  /** "exited" only when its output is complete, as far as the drain goes. */
  status: "running" | "exited" = "running";
  exit: Exit | null = null;
  timedOut = false;
  killedBy: KilledBy | null = null;
  /** The signals it was sent on request, by name, and what to say if it ends by one. */
  readonly signalled = new Map<string, KilledBy>();
  /** Set while everything it started is being ended. */
  ending: Promise<void> | null = null;
  /** Processes it left running, as last seen. */
  leftRunning = 0;

  constructor(parts: ProcessParts) {
    this.id = parts.id;
    this.command = parts.command;
    this.fingerprint = parts.fingerprint;
    this.wrapper = parts.wrapper;
    this.tag = parts.origin.tag;
    this.marker = parts.origin.marker;
    this.leader = parts.origin.leader;
    this.#pipes = parts.origin.pipes;
    this.stdout = parts.stdout;
    this.stderr = parts.stderr;
    this.input = parts.input;
    this.outputBell = parts.outputBell;
    this.memoryKillsBefore = parts.memoryKills;
  }

  get pipes(): ReadonlySet<string> {
    return this.stdout.ended && this.stderr.ended ? new Set() : this.#pipes;
  }

  /** From its start to its end, or to now. */
  get durationMs(): number {
    return Math.round(this.#durationMs ?? performance.now() - this.#started);
  }

  /** Nothing of it lives. */
  get settled(): boolean {
    return this.status === "exited" && this.leftRunning === 0;
  }

  /** The direct child is gone; `memoryKills` is the kernel's count now. */
  childExited(code: number | null, signal: string | null, memoryKills: number): void {
    this.#durationMs = performance.now() - this.#started;
    this.exit = { code: code ?? 128 + signalNumber(signal), signal };
    const asked = [...this.signalled].find(([name]) => this.exit?.code === 128 + signalNumber(name));
    this.killedBy ??= asked?.[1] ?? this.#memoryReason(this.exit, memoryKills);
    // A terminal's wrapper only passes the code on.
    if (this.wrapper !== null) this.exit.signal ??= asked?.[0] ?? null;
  }

  /** Waits until both streams are at their end, or whoever holds them has nothing to say for a moment. */
  async drained(): Promise<void> {
    const deadline = performance.now() + limits.drainMaxMs;
    while (!(this.stdout.ended && this.stderr.ended)) {
      const now = performance.now();
      const quietAt = Math.max(this.stdout.lastNewsAt, this.stderr.lastNewsAt, now - limits.drainMaxMs);
      const left = Math.min(Math.max(quietAt, this.#exitedAt()) + limits.drainQuietMs, deadline) - now;
      if (left <= 0) return;
      await this.outputBell.next(Math.ceil(left));
      // A timer may fire before the poll that has the bytes in hand: let one go by.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #exitedAt(): number {
    return this.#started + (this.#durationMs ?? 0);
  }

  /** Only what the kernel says: it killed something meanwhile, and this ended by a KILL that was not ours. */
  #memoryReason(exit: Exit, memoryKills: number): KilledBy | null {
    return exit.code === 128 + constants.signals.SIGKILL && memoryKills > this.memoryKillsBefore ? "memory" : null;
  }
}

function signalNumber(name: string | null): number {
  return Object.entries(constants.signals).find(([known]) => known === name)?.[1] ?? 0;
}
