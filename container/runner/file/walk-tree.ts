// Walks everything at and below a path, each directory before its entries. Names are bytes.

import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import type { FileKind } from "../../../src/contract/file.ts";
import { readNames } from "./directory-names.ts";
import { errorCode } from "./error-code.ts";
import { kindOf } from "./kind.ts";

export interface TreeEntry {
  /** The path relative to the top; empty for the top itself. */
  below: Buffer;
  path: Buffer;
  kind: FileKind;
  stats: Stats;
}

const SLASH = Buffer.from("/");
const NUL = Buffer.from([0]);

/** Skips entries that are deleted during the walk. Rejects with the system's error when any other entry cannot be read. */
export async function* walkTree(top: string): AsyncGenerator<TreeEntry> {
  const root = Buffer.from(top);
  const stack: PackedNames[] = [];
  let next: Buffer | undefined = Buffer.alloc(0);
  for (; next !== undefined; next = takeLast(stack)) {
    const below = next;
    const path = below.length === 0 ? root : Buffer.concat([root, SLASH, below]);
    const stats = await unlessGone(lstat(path));
    if (stats === null) continue;
    const kind = kindOf(stats);
    yield { below, path, kind, stats };
    if (kind !== "directory") continue;
    const names = await unlessGone(packNames(path));
    if (names !== null) stack.push({ below, names, end: names.length });
  }
}

/** The names in a directory, each ended by NUL: a million of them as single buffers would take some hundred MB. */
interface PackedNames {
  below: Buffer;
  names: Buffer;
  /** Where the names that have not been taken end. */
  end: number;
}

async function packNames(path: Buffer): Promise<Buffer> {
  const packed: Buffer[] = [];
  for await (const batch of readNames(path)) packed.push(Buffer.concat(batch.flatMap(({ name }) => [name, NUL])));
  return Buffer.concat(packed);
}

/** The path of the next entry below the top. */
function takeLast(stack: PackedNames[]): Buffer | undefined {
  while (stack.at(-1)?.end === 0) stack.pop();
  const directory = stack.at(-1);
  if (directory === undefined) return undefined;
  const { below, names, end } = directory;
  const start = end < 2 ? 0 : names.lastIndexOf(0, end - 2) + 1;
  directory.end = start;
  const name = names.subarray(start, end - 1);
  return below.length === 0 ? name : Buffer.concat([below, SLASH, name]);
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
