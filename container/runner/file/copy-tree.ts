// Copies a file or a tree: to a new path as a whole or not at all, over what is there file by file.

import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { chmod, chown, copyFile, lstat, mkdir, readlink, rename, rm, symlink, unlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { linkNew, syncDirectory } from "./replace-file.ts";
import { errorCode } from "./system-failure.ts";
import { temporaryName } from "./temporary-name.ts";
import { entryAt, type TreeEntry, walkTree } from "./walk-tree.ts";

/** False where something has taken the name. Rejects with the system's error, and nothing is left then. */
export async function copyNew(from: string, to: string): Promise<boolean> {
  const temporary = join(dirname(to), temporaryName());
  try {
    await copyEntries(from, temporary, writeNew);
    await syncFileSystem(temporary);
    if (!(await lstat(temporary)).isDirectory()) return await linkNew(temporary, to);
    await rename(temporary, to);
    return true;
  } finally {
    // Gone already where it has its name now.
    await rm(temporary, { recursive: true, force: true });
    await syncDirectory(dirname(to));
  }
}

/** Rejects with the system's error; what was copied by then stays. */
export async function copyOver(from: string, to: string): Promise<void> {
  await copyEntries(from, to, replaceOne);
  await syncFileSystem(to);
}

async function copyEntries(
  from: string,
  to: string,
  copyOne: (entry: TreeEntry, path: Buffer) => Promise<void>,
): Promise<void> {
  const made: { path: Buffer; entry: TreeEntry }[] = [];
  for await (const entry of walkTree(from)) {
    const path = entryAt(to, entry);
    if (entry.kind !== "directory") await copyOne(entry, path);
    else if (await makeDirectory(path)) made.push({ path, entry });
  }
  // Last, for what is copied into a directory changes its times, and its mode may forbid it.
  for (const { path, entry } of made.reverse()) await likeSource(path, entry);
}

/** False where it was there. */
async function makeDirectory(path: Buffer): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return false;
  }
}

async function writeNew(entry: TreeEntry, path: Buffer): Promise<void> {
  if (entry.kind === "symlink") {
    await symlink(await readlink(entry.path, "buffer"), path);
    return;
  }
  await copyFile(entry.path, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await likeSource(path, entry);
}

async function replaceOne(entry: TreeEntry, path: Buffer): Promise<void> {
  const temporary = Buffer.concat([path.subarray(0, path.lastIndexOf("/") + 1), Buffer.from(temporaryName())]);
  try {
    await writeNew(entry, temporary);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** The owner as far as we may give it; before the mode, of which it clears bits. */
async function likeSource(path: Buffer, { stats }: TreeEntry): Promise<void> {
  await chown(path, stats.uid, stats.gid).catch(() => undefined);
  await chmod(path, stats.mode & 0o7777);
  await utimes(path, stats.atime, stats.mtime);
}

/** One call for all that was copied; file by file it would take many times as long. Where there is no `sync`, the kernel does it in its time. */
function syncFileSystem(path: string): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn("sync", ["-f", path], { stdio: "ignore" });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
}
