// Reads a directory in batches, because a list of a million names takes seconds to make and the runner has other callers.

import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";

export interface DirectoryName {
  readonly name: Buffer;
  readonly isDirectory: boolean;
}

/** Yields in the order of the file system; the event loop runs between batches. Rejects with the system's error. */
export async function* readNames(path: string | Buffer): AsyncGenerator<DirectoryName[]> {
  let batch: DirectoryName[] = [];
  for await (const entry of await opendir(path, { encoding: "latin1", bufferSize: BATCH })) {
    batch.push(toName(entry));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

export async function countNames(path: string): Promise<number> {
  let count = 0;
  for await (const batch of readNames(path)) count += batch.length;
  return count;
}

/** Reading so many takes about a millisecond. */
const BATCH = 1_000;

/** Names are bytes, which latin1 keeps. */
const toName = (entry: Dirent): DirectoryName => ({
  name: Buffer.from(entry.name, "latin1"),
  isDirectory: entry.isDirectory(),
});
