// Copies a file or a tree: to a new path as a whole or not at all, over an existing one file by file.

import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { chmod, chown, copyFile, lstat, mkdir, readlink, rename, symlink, unlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { kindAt } from "./copy-target.ts";
import { errorCode } from "./error-code.ts";
import { removeTree } from "./remove-tree.ts";
import { linkNew, syncDirectory } from "./replace-file.ts";
import { runProgram } from "./run-program.ts";
import { temporaryName } from "./temporary-name.ts";
import { entryAt, type TreeEntry, type TreeSize, walkTree } from "./walk-tree.ts";

/** Resolves to false when something else has taken the name. Rejects with the system's error, and then leaves nothing behind. */
export async function copyNew(from: string, to: string, size: TreeSize): Promise<boolean> {
  const temporary = join(dirname(to), temporaryName());
  try {
    if (size.files + size.directories > LARGE_TREE_ENTRIES) await copyByProgram(from, temporary);
    else await copyEntries(from, temporary, writeNew);
    await syncFileSystem(temporary);
    if (!(await lstat(temporary)).isDirectory()) return await linkNew(temporary, to);
    await rename(temporary, to);
    return true;
  } finally {
    // Does nothing when the temporary file has been renamed.
    if (await kindAt(temporary)) await removeTree(temporary);
    await syncDirectory(dirname(to));
  }
}

/** `cp` copies 100,000 entries in the time that Node takes for 10,000, and in no memory of the runner's. */
const LARGE_TREE_ENTRIES = 2_000;

/** As in copyMetadata(), an owner that cannot be given is no fault; to `cp -a` it is one. */
async function copyByProgram(from: string, to: string): Promise<void> {
  try {
    await runProgram("cp", ["-a", "-T", "--", from, to]);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("failed to preserve ownership"))) throw error;
    await removeTree(to);
    await runProgram("cp", ["-R", "--no-dereference", "--preserve=mode,timestamps,links", "-T", "--", from, to]);
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
