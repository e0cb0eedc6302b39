// Puts new content in the place of a file, or of nothing: whoever looks, and whatever ends us meanwhile, there is the old
// content or the new. On disk when it returns.

import { constants } from "node:fs";
import { access, chmod, chown, link, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isSame, look, type Seen } from "./open-regular.ts";
import { sweepOnce } from "./sweep-temporaries.ts";
import { errorCode } from "./system-failure.ts";
import { temporaryName } from "./temporary-name.ts";
import { overwriteInPlace } from "./write-in-place.ts";

/** `changed`: the file is not the one in `seen` any more, and nothing was done. */
export type Replaced = "renamed" | "in_place" | "changed";

/** To write a file that is not there yet. */
export const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Where no new file can be put beside or over the old one: mounted files, `/proc`, directories of others. */
const NO_PLACE = new Set(["EACCES", "EBUSY", "ENOENT", "EPERM", "EROFS", "EXDEV", "ETXTBSY", "EOPNOTSUPP"]);
/** File systems without hard links. */
const NO_LINKS = new Set(["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK"]);

/** The caller holds the lock of `real`. Rejects with the system's error; the old file is then whole. */
export async function replaceFile(real: string, content: readonly Buffer[], seen: Seen | null): Promise<Replaced> {
  // A rename asks only for the directory; a file that may not be written stays as it is.
  if (seen !== null) await access(real, constants.W_OK);
  try {
    return await putInPlace(real, content, seen);
  } catch (error) {
    if (seen === null || !NO_PLACE.has(errorCode(error) ?? "")) throw error;
    const now = await look(real);
    if (now === null || !isSame(now, seen)) return "changed";
    await overwriteInPlace(real, content, Number(seen.size));
    return "in_place";
  }
}

async function putInPlace(real: string, content: readonly Buffer[], seen: Seen | null): Promise<Replaced> {
  const directory = dirname(real);
  sweepOnce(directory);
  const temporary = join(directory, temporaryName());
  try {
    await writeTemporary(temporary, content, seen);
    const now = await look(real);
    if (seen === null ? now !== null : now === null || !isSame(now, seen)) {
      await unlink(temporary);
      return "changed";
    }
    if (seen !== null) await rename(temporary, real);
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

async function writeTemporary(path: string, content: readonly Buffer[], seen: Seen | null): Promise<void> {
  const handle = await open(path, CREATE, seen === null ? 0o666 : 0o600);
  try {
    for (const piece of content) await handle.writeFile(piece);
    if (seen !== null) await takeOver(path, seen);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The owner first: a change of owner clears bits of the mode. */
export async function takeOver(temporary: string, { uid, gid, mode }: Seen): Promise<void> {
  await chown(temporary, uid, gid).catch((error: unknown) => {
    if (errorCode(error) !== "EPERM") throw error;
  });
  await chmod(temporary, mode & 0o7777);
}

/** Gives the file another name unless something has taken that: false. A rename would replace it. */
export async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    if ((await look(to)) !== null) return false;
    await rename(from, to);
    return true;
  }
  await unlink(from);
  return true;
}

/** Makes `directory` and those above it, on disk. */
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
    // Some file systems do not take it for a directory.
    if (errorCode(error) !== "EINVAL") throw error;
  } finally {
    await handle.close();
  }
}
