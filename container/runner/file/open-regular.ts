// Opens only regular files for reading: reading a FIFO or a device would hang, or change it.

import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { errorCode } from "./error-code.ts";
import { kindOf, wrongKind } from "./kind.ts";

/** The identity and the state of a file. When any of it differs later, another program has replaced or changed the file. */
export interface FileVersion {
  dev: bigint;
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  mode: number;
  uid: number;
  gid: number;
  links: number;
}

export interface OpenedFile extends AsyncDisposable {
  handle: FileHandle;
  version: FileVersion;
  size: number;
}

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;

/** `real` must not end in a symlink. The caller disposes of the result. Rejects with the system's error. */
export async function openRegular(path: string, real: string): Promise<Result<OpenedFile>> {
  const entry = await lstat(real);
  if (!entry.isFile()) return fail(wrongKind(path, "a regular file", kindOf(entry)));
  const handle = await open(real, READ);
  // Another file may have taken the name since the lstat.
  const opened = await handle.stat({ bigint: true });
  const dispose = () => handle.close();
  if (opened.isFile()) {
    return succeed({ handle, version: versionOf(opened), size: Number(opened.size), [Symbol.asyncDispose]: dispose });
  }
  await dispose();
  return fail(wrongKind(path, "a regular file", kindOf(opened)));
}

/** Null when nothing is there. */
export async function statVersion(real: string): Promise<FileVersion | null> {
  try {
    return versionOf(await lstat(real, { bigint: true }));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

export const isSameVersion = (a: FileVersion, b: FileVersion): boolean =>
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

const versionOf = ({ dev, ino, size, mtimeNs, mode, uid, gid, nlink }: BigStats): FileVersion => ({
  dev,
  ino,
  size,
  mtimeNs,
  mode: Number(mode),
  uid: Number(uid),
  gid: Number(gid),
  links: Number(nlink),
});
