// Resolves what a caller gives for directory entries into the requests of `file-mkdir`, `file-move`, `file-copy` and
// `file-delete`.

import type { FileCopyRequest } from "../contract/file-copy.ts";
import type { FileDeleteRequest } from "../contract/file-delete.ts";
import type { FileMkdirRequest } from "../contract/file-mkdir.ts";
import type { FileMoveRequest } from "../contract/file-move.ts";

export interface FileMkdirInput {
  path: string;
  dry_run?: boolean | undefined;
}

export interface FileMoveInput {
  from: string;
  to: string;
  overwrite?: boolean | undefined;
  dry_run?: boolean | undefined;
}

export interface FileDeleteInput {
  path: string;
  recursive?: boolean | undefined;
  dry_run?: boolean | undefined;
}

export const resolveFileMkdir = ({ path, dry_run = false }: FileMkdirInput): FileMkdirRequest => ({ path, dry_run });

export const resolveFileMove = ({ from, to, overwrite = false, dry_run = false }: FileMoveInput): FileMoveRequest => ({
  from,
  to,
  overwrite,
  dry_run,
});

/** A copy takes the same arguments as a move. */
export const resolveFileCopy = (input: FileMoveInput): FileCopyRequest => resolveFileMove(input);

export const resolveFileDelete = ({
  path,
  recursive = false,
  dry_run = false,
}: FileDeleteInput): FileDeleteRequest => ({
  path,
  recursive,
  dry_run,
});
