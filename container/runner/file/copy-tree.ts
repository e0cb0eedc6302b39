// Copies a file or a tree: to a new path as a whole or not at all, over an existing one file by file.

import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { chmod, chown, copyFile, lstat, mkdir, readlink, rename, rm, symlink, unlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { linkNew, syncDirectory } from "./replace-file.ts";
import { errorCode } from "./system-failure.ts";
import { temporaryName } from "./temporary-name.ts";
import { entryAt, type TreeEntry, walkTree } from "./walk-tree.ts";

/** Resolves to false when something else has taken the name. Rejects with the system's error, and then leaves nothing behind. */
export async function copyNew(from: string, to: string): Promise<boolean> {
  const temporary = join(dirname(to), temporaryName());
  try {
    await copyEntries(from, temporary, writeNew);
    await syncFileSystem(temporary);
    if (!(await lstat(temporary)).isDirectory()) return await linkNew(temporary, to);
    await rename(temporary, to);
    return true;
  } finally {
    // Does nothing when the temporary file has been renamed.
    await rm(temporary, { recursive: true, force: true });
    await syncDirectory(dirname(to));
  }
}

/** Rejects with the system's error; files copied before that stay. */
export async function copyOver(from: string, to: string): Promise<void> {
  await copyEntries(from, to, replaceEntry);
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
  // Done last, because copying into a directory changes its times, and its mode may forbid that.
  for (const { path, entry } of made.reverse()) await copyMetadata(path, entry);
}

/** Resolves to false when the directory exists already. */
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
  await copyMetadata(path, entry);
}

async function replaceEntry(entry: TreeEntry, path: Buffer): Promise<void> {
  const temporary = Buffer.concat([path.subarray(0, path.lastIndexOf("/") + 1), Buffer.from(temporaryName())]);
  try {
    await writeNew(entry, temporary);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Sets the owner if that is permitted, and before the mode, because a change of owner clears bits of the mode. */
async function copyMetadata(path: Buffer, { stats }: TreeEntry): Promise<void> {
  await chown(path, stats.uid, stats.gid).catch(() => undefined);
  await chmod(path, stats.mode & 0o7777);
  await utimes(path, stats.atime, stats.mtime);
}

/**
 * One call syncs everything copied: syncing file by file would take many times as long. In a machine without `sync`, the kernel
 * writes the data to disk later.
 */
function syncFileSystem(path: string): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn("sync", ["-f", path], { stdio: "ignore" });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
}
