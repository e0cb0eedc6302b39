// Where the last lines of a file begin, found from its end backwards: what comes before is not read.

import type { FileHandle } from "node:fs/promises";
import { limits } from "../../../src/contract/limits.ts";
import { readRange } from "./read-chunks.ts";

const NEWLINE = 10;

/** The byte at which the last `lines` lines begin, and how many there are if the file has fewer. */
export async function startOfLast(
  handle: FileHandle,
  size: number,
  lines: number,
): Promise<{ start: number; lines: number }> {
  // The newline that ends the last line begins none.
  let found = 0;
  for (let end = size - 1; end > 0; ) {
    const start = Math.max(0, end - limits.filePieceBytes);
    const piece = await readRange(handle, start, end - start);
    for (let at = piece.lastIndexOf(NEWLINE); at !== -1; at = at === 0 ? -1 : piece.lastIndexOf(NEWLINE, at - 1)) {
      found++;
      if (found === lines) return { start: start + at + 1, lines };
    }
    end = start;
  }
  return { start: 0, lines: size === 0 ? 0 : found + 1 };
}
