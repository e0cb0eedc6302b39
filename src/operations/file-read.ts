// Resolves what a caller gives for reading lines into the request of `file-read`.

import type { FileReadRequest } from "../contract/file-read.ts";
import { limits } from "../contract/limits.ts";

export interface FileReadInput {
  path: string;
  offset?: number | undefined;
  limit?: number | undefined;
  column?: number | undefined;
  encoding?: "text" | "base64" | undefined;
}

export const resolveFileRead = ({ path, offset = 1, column = 1, limit, encoding }: FileReadInput): FileReadRequest => ({
  path,
  // Lines are counted from 1; a caller that counts from 0 means the first line.
  offset: offset === 0 ? 1 : offset,
  limit: limit ?? limits.fileReadLines,
  column,
  max_chars: limits.fileReadChars,
  force_text: encoding === "text",
});
