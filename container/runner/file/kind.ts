// The kind of an entry: as the contract names it, and as a sentence does.

import type { Stats } from "node:fs";
import type { Failure } from "../../../src/contract/failure.ts";
import type { FileKind } from "../../../src/contract/file.ts";

type KindMethods = Pick<
  Stats,
  "isFile" | "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket" | "isCharacterDevice" | "isBlockDevice"
>;

export function kindOf(entry: KindMethods): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  if (entry.isSymbolicLink()) return "symlink";
  if (entry.isFIFO()) return "fifo";
  if (entry.isSocket()) return "socket";
  return entry.isCharacterDevice() ? "character device" : "block device";
}

export const KIND_NAMES: Record<FileKind, string> = {
  file: "a file",
  directory: "a directory",
  symlink: "a symlink",
  fifo: "a FIFO",
  socket: "a socket",
  "character device": "a character device",
  "block device": "a block device",
};

export const wrongKind = (path: string, expected: string, kind: FileKind): Failure => ({
  reason: "wrong_kind",
  path,
  expected,
  actual: KIND_NAMES[kind],
});
