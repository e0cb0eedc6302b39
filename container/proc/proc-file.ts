// Reads small files of /proc quickly. The process that a file belongs to may end at any moment, so null means that the file is
// gone or must not be read.

import { closeSync, openSync, readdirSync, readSync } from "node:fs";

const shared = Buffer.alloc(4096);

/** At most the first 4096 bytes. */
export function readProcFile(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    return shared.toString("latin1", 0, readSync(file, shared, 0, shared.length, 0));
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

/** NaN when the file holds no number. */
export function numberIn(path: string, radix: 10 | 16): number | null {
  const text = readProcFile(path);
  return text === null ? null : Number.parseInt(text, radix);
}

/** The ids of all processes. */
export function processIds(): number[] {
  const ids: number[] = [];
  for (const name of readdirSync("/proc")) {
    const id = Number(name);
    if (Number.isInteger(id)) ids.push(id);
  }
  return ids;
}

/** The process id that the kernel assigned last; 0 when it does not say. */
export const newestProcessId = (): number => Number(readProcFile("/proc/loadavg")?.trim().split(" ").at(-1) ?? 0);
