// The processes that run generated code, one run to a process at a time. A run holds a lease: an HTTP response whose body stays
// open until the run gives the process back. A process whose lease is closed early, or that reaches its deadline or its CPU
// time, is ended by force and replaced. One process more than are in use is kept ready.

import { limits } from "../../../src/contract/limits.ts";
import { type EndReason, IsolateProcess, type IsolateProgram } from "./isolate-process.ts";

/** As many runs as four principals may have at once. */
export const POOL_SIZE = 4 * limits.isolatesAtOnce;
const CPU_CHECK_MS = 500;
const TRIM_EVERY_MS = 60_000;
/** After a failed start the next one waits this long. */
const RESTART_PAUSE_MS = 1_000;
/** A process may still be ending when its caller has already noticed. */
const ENDING_WITHIN_MS = 1_000;

export interface Lease {
  slot: number;
  /** Ends the process; the caller has gone away. */
  abandon(): void;
  /** Gives the process back. Resolves with what happened to it, and if that was anything, with the log of the run. */
  giveBack(): Promise<{ reason: EndReason | null; logs: string }>;
}

interface Slot {
  number: number;
  socket: string;
  process: IsolateProcess | null;
  state: "empty" | "starting" | "ready" | "leased" | "ending";
}

export class IsolatePool {
  readonly #program: IsolateProgram;
  readonly #slots: Slot[];
  readonly #waiting: ((slot: Slot) => void)[] = [];
  readonly #trimming: NodeJS.Timeout;
  /** The most processes that were leased at once since the last trim. */
  #peak = 0;
  #isClosed = false;

  /** `sockets` are the paths of the Unix sockets of the processes, one for each slot. */
  constructor(program: IsolateProgram, sockets: string[]) {
    this.#program = program;
    this.#slots = sockets.map((socket, number) => ({ number, socket, process: null, state: "empty" }));
    this.#trimming = setInterval(() => this.#trim(), TRIM_EVERY_MS).unref();
    this.#keepOneReady();
  }

  /** Resolves when a process is ready. `deadline` is in epoch milliseconds. */
  async lease(deadline: number): Promise<Lease> {
    const slot = this.#slots.find(({ state }) => state === "ready") ?? (await this.#nextReady());
    slot.state = "leased";
    this.#peak = Math.max(this.#peak, this.#count("leased"));
    this.#keepOneReady();
    const { process } = slot;
    if (process === null) throw new Error("The slot has no process");
    process.takeLogs();
    const bounds = enforce(process, deadline);
    return {
      slot: slot.number,
      abandon: () => {
        bounds.stop();
        void process.end("caller");
      },
      giveBack: async () => {
        bounds.stop();
        const isReusable = await process.isReusable();
        // A process that does not answer is ending, or is busy with what the code left behind.
        if (!isReusable && process.isAlive) await Promise.race([process.ended, pause(ENDING_WITHIN_MS)]);
        const reason = process.endReason;
        const logs = reason === null ? "[]" : process.takeLogs();
        if (isReusable) this.#offer(slot);
        else void process.end("caller");
        return { reason, logs };
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#trimming);
    await Promise.all(this.#slots.map(({ process }) => process?.end("caller")));
  }

  #nextReady(): Promise<Slot> {
    this.#keepOneReady();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #keepOneReady(): void {
    const wanted = Math.max(1, this.#waiting.length) - this.#count("ready") - this.#count("starting");
    const empty = this.#slots.filter(({ state }) => state === "empty");
    for (const slot of empty.slice(0, Math.max(0, wanted))) void this.#start(slot);
  }

  async #start(slot: Slot): Promise<void> {
    if (this.#isClosed) return;
    const process = new IsolateProcess(this.#program, slot.socket);
    slot.process = process;
    slot.state = "starting";
    void process.ended.then(() => {
      slot.process = null;
      slot.state = "empty";
      this.#keepOneReady();
    });
    try {
      await process.ready();
      if (slot.process === process) this.#offer(slot);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      await pause(RESTART_PAUSE_MS);
      await process.end("crash");
    }
  }

  /** Ends the processes that the last minute had no use for. */
  #trim(): void {
    const needed = Math.max(1, this.#peak + 1 - this.#count("leased"));
    const ready = this.#slots.filter(({ state }) => state === "ready");
    for (const slot of ready.slice(needed)) {
      slot.state = "ending";
      void slot.process?.end("caller");
    }
    this.#peak = this.#count("leased");
  }

  #count(state: Slot["state"]): number {
    return this.#slots.filter((slot) => slot.state === state).length;
  }

  #offer(slot: Slot): void {
    slot.state = "ready";
    this.#waiting.shift()?.(slot);
  }
}

/** Ends the process when its run reaches the deadline or its CPU time. */
function enforce(process: IsolateProcess, deadline: number): { stop(): void } {
  const cpuLimit = process.cpuMs + limits.isolateCpuMs;
  const atDeadline = setTimeout(() => void process.end("deadline"), Math.max(0, deadline - Date.now()));
  const cpuCheck = setInterval(() => {
    if (process.cpuMs > cpuLimit) void process.end("cpu");
  }, CPU_CHECK_MS);
  return {
    stop: () => {
      clearTimeout(atDeadline);
      clearInterval(cpuCheck);
    },
  };
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
