// Finds where the last lines of a file begin, by reading backwards from its end.

import type { FileHandle } from "node:fs/promises";
import { limits } from "../../../src/contract/limits.ts";
import { readRange } from "./read-chunks.ts";

const NEWLINE = 10;

/** `start` is the byte offset at which the last `lines` lines begin; `lines` is smaller when the file has fewer. */
export async function startOfLast(
  handle: FileHandle,
  size: number,
  lines: number,
): Promise<{ start: number; lines: number }> {
  // The search starts before a newline that ends the file, as no line follows that one.
  let found = 0;
  for (let end = size - 1; end > 0; ) {
    const start = Math.max(0, end - limits.filePieceBytes);
    const chunk = await readRange(handle, start, end - start);
    for (let at = chunk.lastIndexOf(NEWLINE); at !== -1; at = at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1)) {
      found++;
      if (found === lines) return { start: start + at + 1, lines };
    }
    end = start;
  }
  return { start: 0, lines: size === 0 ? 0 : found + 1 };
}
