// What a command reads: nothing, a given text, or a pipe that stays open for more. Neither is a FIFO: opening a FIFO by
// name (`cat /dev/stdin`) after its last writer has gone waits for ever.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { TEMPORARY_DIRECTORIES } from "./temporary-directories.ts";

/** Descriptors owned by whoever asked for them. */
export interface Stdin {
  /** For the child; null for an empty stdin. */
  read: number | null;
  /** The writing end; null where nothing more can be written. */
  write: number | null;
}

export const EMPTY_STDIN: Stdin = { read: null, write: null };

/** All of `text`, then the end: a file without a name, which nobody has to feed. */
export async function textStdin(text: string): Promise<Stdin> {
  let refused: unknown;
  for (const parent of TEMPORARY_DIRECTORIES) {
    try {
      return { read: await unnamedFile(parent, text), write: null };
    } catch (error) {
      refused ??= error;
    }
  }
  throw refused;
}

async function unnamedFile(parent: string, text: string): Promise<number> {
  const directory = await mkdtemp(join(parent, ".stdin-"));
  try {
    const path = join(directory, "text");
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return openSync(path, "r");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Makes an anonymous pipe and holds it until its own stdin ends. */
const HOLDER = "exec 3< <(:); echo; read";

/** A pipe whose writing end stays open. Node cannot make one; a shell can, and its descriptors can be opened. */
export async function openStdin(): Promise<Stdin> {
  const holder = spawn("/bin/bash", ["-c", HOLDER], { stdio: ["pipe", "pipe", "ignore"], env: {} });
  try {
    await once(holder.stdout, "data");
    const path = `/proc/${holder.pid}/fd/3`;
    const read = openSync(path, "r");
    try {
      return { read, write: openSync(path, constants.O_WRONLY) };
    } catch (error) {
      closeSync(read);
      throw error;
    }
  } finally {
    holder.stdin.end();
    holder.stdout.resume();
  }
}

export function closeStdin({ read, write }: Stdin): void {
  if (read !== null) closeSync(read);
  if (write !== null) closeSync(write);
}
