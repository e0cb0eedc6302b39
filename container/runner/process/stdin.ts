// What a command reads on stdin: nothing, a given text, or a pipe that stays open for more. None of them is a FIFO: opening
// a FIFO by name (`cat /dev/stdin`) blocks for ever once its last writer has closed it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { scripts } from "../scripts.ts";
import { inTemporaryDirectory } from "./temporary-directories.ts";

/** File descriptors owned by the caller. */
export interface StdinDescriptors {
  /** For the child process; null for an empty stdin. */
  read: number | null;
  /** The writing end; null when nothing more can be written. */
  write: number | null;
}

export const EMPTY_STDIN: StdinDescriptors = { read: null, write: null };

/** A file without a name that holds `text`, so that nothing has to feed it to the command. */
export const textStdin = (text: string): Promise<StdinDescriptors> =>
  inTemporaryDirectory(".stdin-", async (directory) => {
    const path = join(directory, "text");
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return { read: openSync(path, "r"), write: null };
  });

/** A pipe whose writing end stays open. Node cannot make one, but bash can, and its descriptors can be opened in /proc. */
export async function openStdin(): Promise<StdinDescriptors> {
  const holder = spawn("/bin/bash", ["-c", scripts.holdPipe], { stdio: ["pipe", "pipe", "ignore"], env: {} });
  // Without a process there may be no streams either.
  if (holder.pid === undefined) throw await new Promise((resolve) => holder.once("error", resolve));
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

export function closeStdin({ read, write }: StdinDescriptors): void {
  if (read !== null) closeSync(read);
  if (write !== null) closeSync(write);
}
