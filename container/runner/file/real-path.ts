// The real path behind a path whose symlinks are followed, also for files that do not exist yet. A write goes through a symlink
// to its target, and two calls that reach one file by different paths have to use the same lock.

import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "./error-code.ts";

/** Rejects with the system's error when the path cannot be followed: for a loop, or a file where a directory is needed. */
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

/** The same for the entry itself: a symlink at the end of the path is not followed. */
export async function realEntry(path: string): Promise<string> {
  const parent = dirname(path);
  return parent === path ? path : join(await realTarget(parent), basename(path));
}

/** The target as the symlink states it; null when `path` is not a symlink. */
export async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EINVAL" || code === "ENOENT") return null;
    throw error;
  }
}

export const pathReport = (path: string, real: string): { path: string; real_path: string | null } => ({
  path,
  real_path: real === path ? null : real,
});
