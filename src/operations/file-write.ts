// Resolves what a caller gives for writing content into the requests of `file-write` and `file-append`.

import type { FileAppendRequest } from "../contract/file-append.ts";
import type { FileWriteRequest } from "../contract/file-write.ts";

export interface FileAppendInput {
  path: string;
  content: string | Uint8Array;
  /** What a string in `content` is; text when absent. */
  encoding?: "text" | "base64" | undefined;
  expected_hash?: string | undefined;
  dry_run?: boolean | undefined;
}

export interface FileWriteInput extends FileAppendInput {
  if_absent?: boolean | undefined;
}

export const resolveFileWrite = ({ if_absent = false, ...input }: FileWriteInput): FileWriteRequest => ({
  ...resolveFileAppend(input),
  if_absent,
});

export const resolveFileAppend = ({
  path,
  content,
  encoding,
  expected_hash,
  dry_run = false,
}: FileAppendInput): FileAppendRequest => ({
  path,
  ...encodeContent(content, encoding),
  expected_hash: expected_hash ?? null,
  dry_run,
});

function encodeContent(
  content: string | Uint8Array,
  encoding: FileAppendInput["encoding"],
): Pick<FileAppendRequest, "content" | "encoding"> {
  if (typeof content !== "string") return { content: content.toBase64(), encoding: "base64" };
  return { content, encoding: encoding === "base64" ? "base64" : "utf-8" };
}
