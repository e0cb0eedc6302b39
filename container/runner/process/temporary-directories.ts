// Short-lived directories. A command may have filled or removed any one place, so several are tried, those in memory first.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PARENTS = ["/run", "/dev/shm", tmpdir(), "/tmp", "/var/tmp", "/var/lib/sandbox-archives"];

/** Runs `work` in a new directory and removes it afterwards. Rejects with the first error when every place failed. */
export async function inTemporaryDirectory<Value>(
  prefix: string,
  work: (directory: string) => Promise<Value>,
): Promise<Value> {
  const errors: unknown[] = [];
  for (const parent of PARENTS) {
    try {
      return await inDirectory(await mkdtemp(join(parent, prefix)), work);
    } catch (error) {
      errors.push(error);
    }
  }
  throw errors[0];
}

async function inDirectory<Value>(directory: string, work: (directory: string) => Promise<Value>): Promise<Value> {
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
