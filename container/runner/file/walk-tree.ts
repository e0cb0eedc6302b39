// Walks everything at and below a path, each directory before its entries. Names are bytes.

import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import type { FileKind } from "../../../src/contract/file.ts";
import { kindOf } from "./kind.ts";
import { errorCode } from "./system-failure.ts";

export interface TreeEntry {
  /** The path relative to the top; empty for the top itself. */
  below: Buffer;
  path: Buffer;
  kind: FileKind;
  stats: Stats;
}

const SLASH = Buffer.from("/");

/** Skips entries that are deleted during the walk. Rejects with the system's error when any other entry cannot be read. */
export async function* walkTree(top: string): AsyncGenerator<TreeEntry> {
  const root = Buffer.from(top);
  const stack: Buffer[] = [Buffer.alloc(0)];
  for (let below = stack.pop(); below !== undefined; below = stack.pop()) {
    const path = below.length === 0 ? root : Buffer.concat([root, SLASH, below]);
    const stats = await unlessGone(lstat(path));
    if (stats === null) continue;
    const kind = kindOf(stats);
    yield { below, path, kind, stats };
    if (kind !== "directory") continue;
    for (const name of (await unlessGone(readdir(path, { encoding: "buffer" }))) ?? []) {
      stack.push(below.length === 0 ? name : Buffer.concat([below, SLASH, name]));
    }
  }
}

async function unlessGone<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return null;
  }
}

/** The path of an entry in a copy of the tree at `top`. */
export const entryAt = (top: string, { below }: TreeEntry): Buffer =>
  below.length === 0 ? Buffer.from(top) : Buffer.concat([Buffer.from(`${top}/`), below]);

export interface TreeSize {
  files: number;
  directories: number;
  bytes: number;
}

export function countInto(size: TreeSize, { kind, stats }: TreeEntry): void {
  if (kind === "directory") size.directories++;
  else size.files++;
  if (kind === "file") size.bytes += stats.size;
}
