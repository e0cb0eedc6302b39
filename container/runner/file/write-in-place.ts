// Overwrites a file that cannot be replaced by a rename. This is not atomic, but a full disk leaves the old content.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { errorCode } from "./error-code.ts";

const WRITE = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Writes what lies beyond the old size first: only that can run out of space, and is then removed again. */
export async function overwriteInPlace(real: string, content: readonly Buffer[], oldSize: number): Promise<void> {
  const bytes = Buffer.concat(content);
  const handle = await open(real, WRITE);
  try {
    await growBy(handle, bytes.subarray(oldSize), oldSize);
    await writeAt(handle, bytes.subarray(0, oldSize), 0);
    if (bytes.length < oldSize) await handle.truncate(bytes.length);
    await sync(handle);
  } finally {
    await handle.close();
  }
}

/** Appends at the current end, since other programs may be appending too. Unless the machine dies, all is written or nothing. */
export async function appendInPlace(real: string, bytes: Buffer): Promise<void> {
  const handle = await open(real, WRITE | constants.O_APPEND);
  try {
    const before = (await handle.stat()).size;
    await appendOrNothing(handle, bytes, before);
    await sync(handle);
  } finally {
    await handle.close();
  }
}

async function appendOrNothing(handle: FileHandle, bytes: Buffer, before: number): Promise<void> {
  let done = 0;
  try {
    while (done < bytes.length) done += (await handle.write(bytes, done)).bytesWritten;
  } catch (error) {
    // Undone only when everything beyond `before` is from this call.
    const { size } = await handle.stat();
    if (size === before + done) await handle.truncate(before);
    throw error;
  }
}

async function growBy(handle: FileHandle, bytes: Buffer, oldSize: number): Promise<void> {
  try {
    await writeAt(handle, bytes, oldSize);
  } catch (error) {
    await handle.truncate(oldSize).catch(() => undefined);
    throw error;
  }
}

async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Files in /proc and /sys cannot be synced. */
async function sync(handle: FileHandle): Promise<void> {
  await handle.sync().catch((error: unknown) => {
    if (errorCode(error) !== "EINVAL") throw error;
  });
}
