// Replaces a file, or creates it, atomically: other programs see the old content or the new, even when the runner is killed
// in between. The new content is on disk when the functions resolve.

import { constants } from "node:fs";
import { access, chmod, chown, link, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "./error-code.ts";
import { type FileVersion, isSameVersion, statVersion } from "./open-regular.ts";
import { sweepOnce } from "./sweep-temporaries.ts";
import { temporaryName } from "./temporary-name.ts";
import { overwriteInPlace } from "./write-in-place.ts";

/** `changed`: the file is no longer the version that the caller read, and nothing was done. */
export type Replaced = "renamed" | "in_place" | "changed";

/** Flags that open a new file for writing, and fail when the name is taken. */
export const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Errors when no new file can be put beside or over the old one: for mounted files, in /proc, in directories of other users. */
const NOT_REPLACEABLE = new Set(["EACCES", "EBUSY", "ENOENT", "EPERM", "EROFS", "EXDEV", "ETXTBSY", "EOPNOTSUPP"]);
/** Errors of file systems without hard links. */
const NO_LINKS = new Set(["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK"]);

/** The caller holds the lock of `real`. Rejects with the system's error; the old content is then intact. */
export async function replaceFile(
  real: string,
  content: readonly Buffer[],
  version: FileVersion | null,
): Promise<Replaced> {
  // A rename needs permission only for the directory. This check keeps read-only files from being replaced.
  if (version !== null) await access(real, constants.W_OK);
  try {
    return await replaceByRename(real, content, version);
  } catch (error) {
    if (version === null || !NOT_REPLACEABLE.has(errorCode(error) ?? "")) throw error;
    const current = await statVersion(real);
    if (current === null || !isSameVersion(current, version)) return "changed";
    await overwriteInPlace(real, content, Number(version.size));
    return "in_place";
  }
}

async function replaceByRename(
  real: string,
  content: readonly Buffer[],
  version: FileVersion | null,
): Promise<Replaced> {
  const directory = dirname(real);
  sweepOnce(directory);
  const temporary = join(directory, temporaryName());
  try {
    await writeTemporary(temporary, content, version);
    const current = await statVersion(real);
    if (version === null ? current !== null : current === null || !isSameVersion(current, version)) {
      await unlink(temporary);
      return "changed";
    }
    if (version !== null) await rename(temporary, real);
    else if (!(await linkNew(temporary, real))) {
      await unlink(temporary);
      return "changed";
    }
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncDirectory(directory);
  return "renamed";
}

async function writeTemporary(path: string, content: readonly Buffer[], version: FileVersion | null): Promise<void> {
  const handle = await open(path, CREATE, version === null ? 0o666 : 0o600);
  try {
    for (const chunk of content) await handle.writeFile(chunk);
    if (version !== null) await copyOwnership(path, version);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Sets the owner before the mode, because a change of owner clears bits of the mode. */
export async function copyOwnership(temporary: string, { uid, gid, mode }: FileVersion): Promise<void> {
  await chown(temporary, uid, gid).catch((error: unknown) => {
    if (errorCode(error) !== "EPERM") throw error;
  });
  await chmod(temporary, mode & 0o7777);
}

/** Renames the file without replacing another. Resolves to false when the new name is taken. */
export async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    if ((await statVersion(to)) !== null) return false;
    await rename(from, to);
    return true;
  }
  await unlink(from);
  return true;
}

/** Creates `directory` and its parents, and syncs them to disk. */
export async function makeParents(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems do not support it for directories.
    if (errorCode(error) !== "EINVAL") throw error;
  } finally {
    await handle.close();
  }
}
