// Opens a directory by steps, because its whole path may be longer than Linux accepts.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { pathBytes } from "./entry.ts";

/** Never follows a link in the last name of a step. Rejects with the system's error. */
export async function openSteps(top: string, steps: readonly string[]): Promise<FileHandle> {
  let directory = await open(top, DIRECTORY);
  for (const step of steps) {
    const above = directory;
    try {
      directory = await open(Buffer.concat([Buffer.from(`${pathOf(above)}/`), pathBytes(step)]), DIRECTORY);
    } finally {
      await above.close();
    }
  }
  return directory;
}

/** A path to an open directory, valid in programs that this one starts too. */
export const pathOf = ({ fd }: FileHandle): string => `/proc/${process.pid}/fd/${fd}`;

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
