// Real pipes for the output of commands. Node's own are socket pairs, which cannot be opened by name, so that
// `echo x >/dev/stderr` and `tee /dev/stderr` fail on them. A pipe here is a FIFO with both ends open whose name has been
// removed. Making one takes a program (`mkfifo`), so they are made in batches and ahead of need.

import { execFile } from "node:child_process";
import { closeSync, constants, fstatSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { inTemporaryDirectory } from "./temporary-directories.ts";

/** Two file descriptors, owned by the caller that took the pipe. */
export interface Pipe {
  /** Non-blocking. */
  read: number;
  /** Blocking, as a child process expects. */
  write: number;
  /** The pipe as `/proc/PID/fd` shows it: "device:inode". */
  identity: string;
}

const BATCH = 32;
const REFILL_BELOW = 12;
const run = promisify(execFile);

export class PipePool {
  readonly #ready: Pipe[] = [];
  #refilling: Promise<void> | null = null;

  constructor() {
    this.#refill();
  }

  /** Rejects with the system's error when no pipe can be made. */
  async take(): Promise<Pipe> {
    for (;;) {
      const pipe = this.#ready.pop();
      if (this.#ready.length < REFILL_BELOW) this.#refill();
      if (pipe !== undefined) return pipe;
      await this.#refilling;
    }
  }

  #refill(): void {
    if (this.#refilling !== null) return;
    const refilling = this.#makeBatch().finally(() => {
      this.#refilling = null;
    });
    this.#refilling = refilling;
    // A caller waiting in take() gets the error. For a refill ahead of need there is no caller to tell.
    refilling.catch(() => undefined);
  }

  async #makeBatch(): Promise<void> {
    this.#ready.push(...(await inTemporaryDirectory(".pipes-", makePipes)));
  }
}

export function closePipe(pipe: Pipe): void {
  closeSync(pipe.read);
  closeSync(pipe.write);
}

async function makePipes(directory: string): Promise<Pipe[]> {
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  // The runner may exit while this runs.
  process.once("exit", remove);
  try {
    const paths = Array.from({ length: BATCH }, (_, index) => join(directory, String(index)));
    await run("mkfifo", ["-m", "600", ...paths], { env: { PATH: "/usr/bin:/bin" } });
    return openAll(paths);
  } finally {
    process.removeListener("exit", remove);
  }
}

function openAll(paths: string[]): Pipe[] {
  const pipes: Pipe[] = [];
  try {
    for (const path of paths) pipes.push(openPipe(path));
    return pipes;
  } catch (error) {
    if (pipes.length > 0) return pipes;
    throw error;
  }
}

/** Opens the reading end first, non-blocking, so that neither open waits for the other. */
function openPipe(path: string): Pipe {
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const write = openSync(path, constants.O_WRONLY);
    const { dev, ino } = fstatSync(write);
    return { read, write, identity: `${dev}:${ino}` };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}
