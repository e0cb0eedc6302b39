// Where a path really is once its symlinks are followed, also for what does not exist yet: a write goes through a symlink to
// the file it names, and calls that name one file by two paths must meet at one lock.

import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "./system-failure.ts";

/** Rejects with the system's error where the way there is no way: a loop, or a file where a directory is needed. */
export async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  const link = await linkTarget(path);
  const parent = dirname(path);
  if (link !== null) return realTarget(resolve(await realTarget(parent), link));
  return parent === path ? path : join(await realTarget(parent), basename(path));
}

/** The same for the entry itself: its last name is not followed. */
export async function realEntry(path: string): Promise<string> {
  const parent = dirname(path);
  return parent === path ? path : join(await realTarget(parent), basename(path));
}

/** What a symlink says; null for what is none. */
export async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EINVAL" || code === "ENOENT") return null;
    throw error;
  }
}

export const placeReport = (path: string, real: string): { path: string; real_path: string | null } => ({
  path,
  real_path: real === path ? null : real,
});
