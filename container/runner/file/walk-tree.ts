// Everything at and below a path, the directory before its entries. Names are bytes.

import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import type { FileKind } from "../../../src/contract/file.ts";
import { limits } from "../../../src/contract/limits.ts";
import { kindOf } from "./kind.ts";

export interface TreeEntry {
  /** Below the top; empty for the top itself. */
  below: Buffer;
  path: Buffer;
  kind: FileKind;
  stats: Stats;
}

const SLASH = Buffer.from("/");

/** Stops after `limits.fileTreeMaxEntries`. What goes away meanwhile is left out. */
export async function* walkTree(top: string): AsyncGenerator<TreeEntry> {
  const root = Buffer.from(top);
  const stack: Buffer[] = [Buffer.alloc(0)];
  for (let seen = 0; seen < limits.fileTreeMaxEntries; seen++) {
    const below = stack.pop();
    if (below === undefined) return;
    const path = below.length === 0 ? root : Buffer.concat([root, SLASH, below]);
    const stats = await lstat(path).catch(() => null);
    if (stats === null) continue;
    const kind = kindOf(stats);
    yield { below, path, kind, stats };
    if (kind !== "directory") continue;
    for (const name of await readdir(path, { encoding: "buffer" })) {
      stack.push(below.length === 0 ? name : Buffer.concat([below, SLASH, name]));
    }
  }
}

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
