// Real pipes for the output of commands. Node's own are socket pairs, which cannot be opened by name: `echo x
// >/dev/stderr` and `tee /dev/stderr` fail on them. A pipe here is a FIFO that both ends have open and that has no name
// any more. Making one needs a program (`mkfifo`), so they are made many at once and ahead of need.

import { execFile } from "node:child_process";
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { TEMPORARY_DIRECTORIES } from "./temporary-directories.ts";

/** Two descriptors, owned by whoever took the pipe. */
export interface Pipe {
  /** Non-blocking. */
  read: number;
  /** Blocking, as a child expects it. */
  write: number;
  /** How `/proc/PID/fd` knows it: "device:inode". */
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
    const refilling = this.#make().finally(() => {
      this.#refilling = null;
    });
    this.#refilling = refilling;
    // Whoever waits in take() gets the error; a refill ahead of need has nobody to tell.
    refilling.catch(() => undefined);
  }

  async #make(): Promise<void> {
    const errors: unknown[] = [];
    for (const parent of TEMPORARY_DIRECTORIES) {
      try {
        this.#ready.push(...(await makePipes(parent)));
        return;
      } catch (error) {
        errors.push(error);
      }
    }
    throw errors[0];
  }
}

export function closePipe(pipe: Pipe): void {
  closeSync(pipe.read);
  closeSync(pipe.write);
}

async function makePipes(parent: string): Promise<Pipe[]> {
  const directory = mkdtempSync(join(parent, ".pipes-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  // The runner may be told to stop in the middle of this.
  process.once("exit", remove);
  try {
    const paths = Array.from({ length: BATCH }, (_, index) => join(directory, String(index)));
    await run("mkfifo", ["-m", "600", ...paths], { env: { PATH: "/usr/bin:/bin" } });
    return openAll(paths);
  } finally {
    process.removeListener("exit", remove);
    remove();
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

/** The reading end first: neither open then waits for the other. */
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
