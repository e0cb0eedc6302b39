// sandbox.mkdir, move, copy and remove: directory entries, through the file operations.

import * as z from "zod";
import { FileCopyRequest, FileCopyResult } from "../../contract/file-copy.ts";
import { FileDeleteRequest, FileDeleteResult } from "../../contract/file-delete.ts";
import { FileMkdirRequest, FileMkdirResult } from "../../contract/file-mkdir.ts";
import { FileMoveRequest, FileMoveResult } from "../../contract/file-move.ts";
import {
  resolveFileCopy,
  resolveFileDelete,
  resolveFileMkdir,
  resolveFileMove,
} from "../../operations/file-entries.ts";
import { defineMethod } from "./provider.ts";

const flag = z.boolean().optional();

export const mkdir = defineMethod({
  scope: "sandbox:write",
  summary: "Creates a directory, with its parents",
  input: z.strictObject({ path: FileMkdirRequest.shape.path, dry_run: flag }),
  positional: ["path"],
  output: FileMkdirResult,
  run: (input, run) => run.call("file-mkdir", resolveFileMkdir(input)),
});

export const move = defineMethod({
  scope: "sandbox:write",
  summary: 'Moves or renames; a "to" that ends with a slash is the directory to move it into',
  input: z.strictObject({ ...FileMoveRequest.shape, overwrite: flag, dry_run: flag }),
  positional: ["from", "to"],
  output: FileMoveResult,
  run: (input, run) => run.call("file-move", resolveFileMove(input)),
});

export const copy = defineMethod({
  scope: "sandbox:write",
  summary: 'Copies a file, or a directory with everything in it; "to" as in move',
  input: z.strictObject({ ...FileCopyRequest.shape, overwrite: flag, dry_run: flag }),
  positional: ["from", "to"],
  output: FileCopyResult,
  run: (input, run) => run.call("file-copy", resolveFileCopy(input)),
});

export const remove = defineMethod({
  scope: "sandbox:write",
  summary: "Deletes a file, or an empty directory; with recursive, a directory with everything in it",
  input: z.strictObject({ path: FileDeleteRequest.shape.path, recursive: flag, dry_run: flag }),
  positional: ["path"],
  output: FileDeleteResult,
  run: (input, run) => run.call("file-delete", resolveFileDelete(input)),
});
