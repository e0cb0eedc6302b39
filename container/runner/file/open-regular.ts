// Opens a regular file to read, and nothing else: a FIFO or a device would hang, or be changed by the reading.

import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { kindOf, wrongKind } from "./kind.ts";
import { errorCode } from "./system-failure.ts";

/** Which file it was and in what state: if any of it differs, another has been there. */
export interface Seen {
  dev: bigint;
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  mode: number;
  uid: number;
  gid: number;
  links: number;
}

export interface Opened extends AsyncDisposable {
  handle: FileHandle;
  seen: Seen;
  size: number;
}

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;

/** `real` has no symlink at its end. The caller disposes; rejects with the system's error. */
export async function openRegular(path: string, real: string): Promise<Result<Opened>> {
  const entry = await lstat(real);
  if (!entry.isFile()) return fail(wrongKind(path, "a regular file", kindOf(entry)));
  const handle = await open(real, READ);
  // What was looked at may not be what was opened.
  const opened = await handle.stat({ bigint: true });
  const dispose = () => handle.close();
  if (opened.isFile()) {
    return succeed({ handle, seen: seenOf(opened), size: Number(opened.size), [Symbol.asyncDispose]: dispose });
  }
  await dispose();
  return fail(wrongKind(path, "a regular file", kindOf(opened)));
}

/** The state of what is at `real` now; null where there is nothing. */
export async function look(real: string): Promise<Seen | null> {
  try {
    return seenOf(await lstat(real, { bigint: true }));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

export const isSame = (a: Seen, b: Seen): boolean =>
  a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;

interface BigStats {
  dev: bigint;
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  mode: bigint;
  uid: bigint;
  gid: bigint;
  nlink: bigint;
}

const seenOf = ({ dev, ino, size, mtimeNs, mode, uid, gid, nlink }: BigStats): Seen => ({
  dev,
  ino,
  size,
  mtimeNs,
  mode: Number(mode),
  uid: Number(uid),
  gid: Number(gid),
  links: Number(nlink),
});
